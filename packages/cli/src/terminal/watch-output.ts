/** A standard output, as far as its failing is concerned. */
export interface WatchedOutput {
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** What to do when results can be written no more. */
export interface OutputListeners {
  /** Nobody reads any longer, as after `| head -1`. */
  readonly unread: () => void;
  /** Anything else, such as a full disk. */
  readonly failed: (error: NodeJS.ErrnoException) => void;
}

/** Listens for the first failure of an output, which without a listener would end the process with a stack. */
export function watchOutput(output: WatchedOutput, listeners: OutputListeners): void {
  let isFirst = true;
  output.on("error", (error) => {
    if (!isFirst) return;
    isFirst = false;
    if (error.code === "EPIPE") listeners.unread();
    else listeners.failed(error);
  });
}
