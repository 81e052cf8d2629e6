import { groupDigits } from './chart.js';

/** Total, label and terminal of a progress line. */
interface ProgressOptions {
  label: string;
  total: number;
  /**
   * Whether lines can be redrawn, as on a terminal. If lines cannot be redrawn, one line is written for every quarter
   * of the load.
   */
  live: boolean;
  write: (text: string) => void;
  now?: () => number;
}

const barWidth = 30;
const redrawMs = 100;

/** Shows the progress and the speed of a load. */
export class ProgressDisplay {
  private done = 0;
  private shownAt = 0;
  private shownQuarter = 0;
  private readonly startedAt: number;
  private readonly now: () => number;

  constructor(private readonly options: ProgressOptions) {
    this.now = options.now ?? Date.now;
    this.startedAt = this.now();
  }

  add(count: number): void {
    this.done += count;
    if (this.options.live) this.draw();
    else this.report();
  }

  /** Ends the line of the finished bar. */
  end(): void {
    if (!this.options.live) return;
    this.shownAt = 0;
    this.draw();
    this.options.write('\n');
  }

  private draw(): void {
    if (this.now() - this.shownAt < redrawMs) return;
    this.shownAt = this.now();
    const filled = Math.round(this.share * barWidth);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    this.options.write(`\r  ${this.options.label} ${bar} ${this.text()}\u001b[K`);
  }

  private report(): void {
    const quarter = Math.floor(this.share * 4);
    if (quarter === this.shownQuarter) return;
    this.shownQuarter = quarter;
    this.options.write(`  ${this.options.label} ${this.text()}\n`);
  }

  private get share(): number {
    return this.options.total === 0 ? 1 : this.done / this.options.total;
  }

  private text(): string {
    const seconds = Math.max(0.001, (this.now() - this.startedAt) / 1000);
    const rate = groupDigits(Math.round(this.done / seconds));
    return `${Math.floor(this.share * 100)} %, ${groupDigits(this.done)} of ${groupDigits(this.options.total)}, ${rate} events/s`;
  }
}
