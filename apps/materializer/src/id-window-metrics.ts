import { metrics } from '#telemetry';

/** A partition with an id window. */
export interface PartitionWithIdWindow {
  readonly name: string;
  readonly window: { lengthAt(now: number): number };
}

export interface IdWindowMetricsOptions {
  readonly partitions: () => Iterable<PartitionWithIdWindow>;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Milliseconds between two updates of the metric. */
  intervalMs: number;
}

/** Exports, for each stream, the length of the id window in seconds. This is the shortest window of its partitions. */
export class IdWindowMetrics {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: IdWindowMetricsOptions) {}

  start(): void {
    this.timer = setInterval(() => this.look(), this.options.intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  look(): void {
    const { partitions, now } = this.options;
    const shortest = new Map<string, number>();
    for (const { name, window } of partitions())
      shortest.set(name, Math.min(shortest.get(name) ?? Infinity, window.lengthAt(now())));
    metrics.idWindowSeconds.reset();
    for (const [stream, ms] of shortest) metrics.idWindowSeconds.set({ stream }, ms / 1000);
  }
}
