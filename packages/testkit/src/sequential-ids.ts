/** Ids in the order they are asked for, as a port for code that needs unique ones: `resp_1`, `msg_2`, … */
export function sequentialIds(): (prefix: string) => string {
  let count = 0;
  return (prefix) => {
    count++;
    return `${prefix}_${count}`;
  };
}
