import type { PartitionOffsetRange, TopicAdmin } from '#kafka';
import type { StalledConsumerDetector } from './progress.js';

/** How far a consumer group is behind the end of its topics. */
export interface Lag {
  /** Number of offsets between the committed offsets and the end offsets of the partitions. */
  events: number;
  /** Seconds since the log time up to which all partitions with lag are processed; 0 without lag. */
  seconds: number;
}

/** A partition that this process consumes, as the lag monitor sees it. */
export interface MeasuredPartition {
  readonly topic: string;
  readonly partition: number;
  readonly commits: { readonly committed: number };
  /** The end offset of the partition (the offset of its next record), as far as known. */
  end: number;
  /** Timestamp (milliseconds since 1970) up to which all records of the partition are processed. */
  handledUntil: number;
}

/** Metric of the lag: one value for each name that has partitions in this process. */
export interface LagGauge {
  set(name: string, lag: Lag): void;
  remove(name: string): void;
}

/** Partitions, gauge and interval of a `LagMonitor`. */
interface LagMonitorOptions<Followed extends MeasuredPartition> {
  admin: TopicAdmin;
  progress: StalledConsumerDetector;
  partitions: () => Iterable<Followed>;
  /** Returns the name under which a partition's lag is exported. */
  nameOf: (partition: Followed) => string;
  gauge: LagGauge;
  /** Minimum milliseconds between two measurements; see `pauseAfter`. */
  intervalMs: number;
  /** Returns milliseconds since 1970. */
  now: () => number;
}

/** Ratio of the pause after a measurement to the duration of the measurement. */
const pausePerMeasurement = 150;
/** Longest pause, in milliseconds, that follows from the duration of a measurement. */
const longestPauseMs = 15_000;

/** Returns the pause in milliseconds, longer after a measurement of many partitions, which thus costs no more. */
export function pauseAfter(tookMs: number, intervalMs: number): number {
  return Math.max(intervalMs, Math.min(tookMs * pausePerMeasurement, longestPauseMs));
}

/** Measures lag at the brokers: for the consumer itself, a fetch that hangs looks like an idle stream. */
export class LagMonitor<Followed extends MeasuredPartition = MeasuredPartition> {
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private exported = new Set<string>();

  constructor(private readonly options: LagMonitorOptions<Followed>) {}

  start(): void {
    this.running = true;
    this.schedule();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /** Lag over all partitions that this process consumes. */
  get total(): Lag {
    return lagOf([...this.options.partitions()], this.options.now());
  }

  /** Looks up all end offsets and exports the lag. Without any answer, it counts as an attempt for `progress`. */
  async measure(): Promise<void> {
    const { admin, now, partitions, progress } = this.options;
    const byTopic = grouped(partitions(), ({ topic }) => topic);
    // The consumer meets the same error and logs it.
    const found = await admin
      .offsetsIn([...byTopic.keys()])
      .catch(() => new Map<string, PartitionOffsetRange[]>());
    if (found.size === 0 && byTopic.size > 0) return progress.attempted();
    for (const [topic, offsets] of found) {
      const ends = new Map(offsets.map(({ partition, end }) => [partition, end]));
      for (const followed of byTopic.get(topic) ?? []) {
        followed.end = Math.max(followed.end, ends.get(followed.partition) ?? 0);
        if (followed.end <= followed.commits.committed) followed.handledUntil = now();
      }
    }
    progress.measured(this.total.events);
    this.export();
  }

  private schedule(pauseMs = this.options.intervalMs): void {
    this.timer = setTimeout(() => void this.round(), pauseMs).unref();
  }

  private async round(): Promise<void> {
    const began = performance.now();
    await this.measure();
    if (this.running) this.schedule(pauseAfter(performance.now() - began, this.options.intervalMs));
  }

  private export(): void {
    const { partitions, nameOf, gauge, now } = this.options;
    const byName = grouped(partitions(), nameOf);
    for (const name of this.exported) if (!byName.has(name)) gauge.remove(name);
    for (const [name, own] of byName) gauge.set(name, lagOf(own, now()));
    this.exported = new Set(byName.keys());
  }
}

function lagOf(partitions: readonly MeasuredPartition[], now: number): Lag {
  const lag = { events: 0, seconds: 0 };
  for (const { end, commits, handledUntil } of partitions) {
    if (end <= commits.committed) continue;
    lag.events += end - commits.committed;
    lag.seconds = Math.max(lag.seconds, (now - handledUntil) / 1000);
  }
  return lag;
}

function grouped<T>(items: Iterable<T>, nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
