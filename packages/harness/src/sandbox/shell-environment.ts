const secretName = /key|token|secret|password|passwd|credential/i;

/** The environment of commands: the user's own without what looks like a secret. */
export function shellEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || secretName.test(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), TMPDIR: "/tmp", PAGER: "cat", GIT_PAGER: "cat", TERM: "dumb" };
}
