import type { OutputStream } from '../session/terminal.js';

/** Milliseconds between two updates of the bar. */
const everyMs = 100;
const cells = 24;

/** How many events `produce` has read so far, and how much of its input. */
interface ReadingProgress {
  events: number;
  /** The fraction that was read, from 0 to 1; undefined for a pipe, whose length is unknown. */
  fraction: number | undefined;
}

/** A progress bar on one line of a terminal. On other outputs it draws nothing. */
export class ProgressBar {
  private readonly startedAt: number;
  private drawnAt = -Infinity;

  constructor(
    private readonly screen: OutputStream,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = now();
  }

  update(progress: ReadingProgress): void {
    if (!this.screen.isTTY || this.now() - this.drawnAt < everyMs) return;
    this.drawnAt = this.now();
    this.screen.write(`\r\x1b[K${barText(progress, (this.now() - this.startedAt) / 1000)}`);
  }

  /** Removes the bar, so that a line can be written in its place. */
  clear(): void {
    if (this.screen.isTTY && this.drawnAt > -Infinity) this.screen.write('\r\x1b[K');
    this.drawnAt = -Infinity;
  }
}

/** Returns the text of the bar: `[######------------------] 25 %  12 000 events  4 000/s`. */
export function barText({ events, fraction }: ReadingProgress, seconds: number): string {
  const rate = `${grouped(events)} events  ${grouped(Math.round(events / Math.max(seconds, 0.001)))}/s`;
  if (fraction === undefined) return rate;
  const done = Math.round(fraction * cells);
  return `[${'#'.repeat(done)}${'-'.repeat(cells - done)}] ${Math.floor(fraction * 100)} %  ${rate}`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ');
}
