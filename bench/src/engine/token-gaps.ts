/** Times between neighbours, of those that begin and end within `[from, to]`. Milliseconds in, milliseconds out. */
export function gapsWithin(times: readonly number[], from: number, to: number): number[] {
  const gaps: number[] = [];
  for (const [index, time] of times.entries()) {
    const previous = times[index - 1];
    if (previous !== undefined && previous >= from && time <= to) gaps.push(time - previous);
  }
  return gaps;
}
