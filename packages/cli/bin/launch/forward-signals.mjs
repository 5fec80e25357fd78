import { constants } from "node:os";

const forwarded = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Passes signals on to a child and waits for it. A terminal sends Ctrl-C to the whole group, so the parent
 * only has to outlive it; a signal sent to the parent alone must reach the child.
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<number>} the child's exit status, 128 + signal number when a signal ended it
 */
export function forwardSignals(child) {
  const listeners = forwarded.map((signal) => {
    const listener = () => {
      child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  const stop = () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      stop();
      reject(error);
    });
    child.once("exit", (code, signal) => {
      stop();
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}
