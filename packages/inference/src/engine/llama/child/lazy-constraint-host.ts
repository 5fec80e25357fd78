import type { ConstraintHost } from "../../constraint/constraint-session.ts";

/** A host that starts its thread with the first constraint: most engines never need one, and it is heavy. */
export function lazyConstraintHost(start: () => ConstraintHost): ConstraintHost {
  let host: ConstraintHost | null = null;
  const started = (): ConstraintHost => {
    host ??= start();
    return host;
  };
  return {
    prepare: (sources) => {
      if (sources.length > 0) started().prepare(sources);
    },
    open: (constraints) => started().open(constraints),
    close: () => host?.close(),
  };
}
