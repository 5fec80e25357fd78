import type { PullProgress } from "../models/sources/model-fetch.ts";

/** How progress is written and when it is worth writing again. */
export interface ProgressOutput {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Milliseconds on a clock that only moves forward. */
  readonly now: () => number;
}

const barWidth = 30;
const redrawMs = 100;

/** A bar that is redrawn on a terminal; elsewhere one line per phase. */
export function progressBar(output: ProgressOutput): PullProgress & { end(): void } {
  let text = "";
  let total: number | null = null;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let open = false;
  const draw = (done: number): void => {
    drawnAt = output.now();
    open = true;
    output.write(`\r\x1b[2K${text} ${total === null ? "" : formatBar(done, total)}`);
  };
  const end = (): void => {
    if (open) output.write("\n");
    open = false;
  };
  return {
    phase(newText, totalBytes) {
      end();
      text = newText;
      total = totalBytes;
      if (output.isTerminal) draw(0);
      else output.write(`${text}${total === null ? "" : ` (${formatBytes(total)})`}\n`);
    },
    bytes(done) {
      const last = total !== null && done >= total;
      if (output.isTerminal && (last || output.now() - drawnAt >= redrawMs)) draw(done);
    },
    end,
  };
}

/** `[#####-----]  50 % of 93 MB`. */
export function formatBar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar = "#".repeat(filled).padEnd(barWidth, "-");
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} % of ${formatBytes(total)}`;
}

/** Decimal units, as disks and downloads are sold. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
