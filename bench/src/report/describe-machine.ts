import { availableParallelism, cpus, freemem, loadavg, totalmem } from "node:os";

const gigabytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GB`;

/** One line on the machine and how busy it is: without it no figure can be judged. */
export function describeMachine(): string {
  const [model = "unknown processor"] = cpus().map((cpu) => cpu.model.trim());
  const load = loadavg()
    .map((value) => value.toFixed(2))
    .join(" ");
  return (
    `machine: ${availableParallelism()} x ${model}, ${gigabytes(freemem())} of ${gigabytes(totalmem())} free, ` +
    `load ${load}, Node ${process.versions.node}, ${process.platform} ${process.arch}`
  );
}
