/** Quotes text so that bash reads exactly it. The text must not hold a NUL character. */
function quoteForBash(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface ShellScriptParts {
  readonly command: string;
  readonly directory: string;
  /** Unguessable: what a command prints can never be taken for its end. */
  readonly token: string;
  /** Inside a process namespace of its own the shell may kill everything but itself. */
  readonly isolated: boolean;
}

/** What the mark of a command's end looks like in the output, before the exit code and a line feed. */
export function endMark(token: string): string {
  return `\u001e${token}:`;
}

/**
 * The script that runs one command in the kept shell. The command runs in a subshell, so that folder,
 * variables, traps, options, limits and umask end with it; whatever it left running is killed before the mark
 * is written, so no later command meets it. The process group is told on descriptor 3 for the sake of timeouts.
 */
export function shellScript(parts: ShellScriptParts): string {
  const killRest = parts.isolated ? "kill -9 -1" : "kill -9 -- -$!";
  return (
    `( cd -- ${quoteForBash(parts.directory)} && eval ${quoteForBash(parts.command)} ) </dev/null 2>&1 3>&- & ` +
    `printf '%d\\n' $! >&3; wait $!; set -- $?; ${killRest} 2>/dev/null; ` +
    `printf '\\036%s:%d\\n' ${quoteForBash(parts.token)} $1\n`
  );
}
