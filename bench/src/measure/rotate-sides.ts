/**
 * Runs several sides round after round, one at a time. Each round begins with the next side, and every other
 * round runs backwards, so that no side always follows the same one or has the same place.
 */
export async function rotateSides<Side, Figure>(
  sides: readonly Side[],
  rounds: number,
  run: (side: Side, round: number) => Promise<Figure>,
): Promise<Map<Side, Figure[]>> {
  const figures = new Map<Side, Figure[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of roundOrder(sides, round)) figures.get(side)?.push(await run(side, round));
  }
  return figures;
}

function roundOrder<Side>(sides: readonly Side[], round: number): Side[] {
  const start = round % sides.length;
  const rotated = [...sides.slice(start), ...sides.slice(0, start)];
  return round % 2 === 0 ? rotated : rotated.reverse();
}
