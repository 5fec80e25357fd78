/** Samples of a server's `/metrics` without labels, by name. */
export async function readMetrics(root: string): Promise<ReadonlyMap<string, number>> {
  const reply = await fetch(`${root}/metrics`);
  const lines = (await reply.text()).split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([a-z_]+)(?:\{[^}]*\})? ([-+.\deE]+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)] as const];
    }),
  );
}
