import { usageOf } from './process-usage.js';

/** The memory of one process over a measurement, in MB (10^6 bytes): its maximum and its means. */
export interface MemoryUsageSummary {
  max: number;
  /** The means of the middle and of the last third of the time: similar if memory is flat. */
  middle: number;
  last: number;
}

const everyMs = 500;

/**
 * Samples the memory of processes twice a second until it is stopped. It keeps no process alive: a measure that fails
 * does not stop its sampler.
 */
export class MemorySampler {
  private readonly samples = new Map<string, number[]>();
  private readonly timer: NodeJS.Timeout;

  /**
   * `processes` returns process ids by name. `processes` is called for each sample, because processes start and end.
   */
  constructor(private readonly processes: () => Record<string, number>) {
    this.timer = setInterval(() => this.sample(), everyMs).unref();
  }

  stop(): Record<string, MemoryUsageSummary> {
    clearInterval(this.timer);
    return Object.fromEntries([...this.samples].map(([name, values]) => [name, memorySeen(values)]));
  }

  private sample(): void {
    for (const [name, pid] of Object.entries(this.processes())) {
      try {
        const values = this.samples.get(name) ?? [];
        values.push(usageOf(pid).rss / 1e6);
        this.samples.set(name, values);
      } catch {
        // The process has ended.
      }
    }
  }
}

export function memorySeen(values: readonly number[]): MemoryUsageSummary {
  const third = Math.max(1, Math.floor(values.length / 3));
  return {
    max: Math.max(...values),
    middle: mean(values.slice(third, 2 * third)),
    last: mean(values.slice(-third)),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
