import type { TopicAdmin } from '#log';
import { metrics } from '#telemetry';
import type { PartitionState } from './partition-state.js';
import type { Progress } from './progress.js';

export interface Lag {
  /** Records that are in the log and not committed. */
  events: number;
  /** Age of the oldest of them; 0 without lag. */
  seconds: number;
}

export interface LagMonitorOptions {
  admin: TopicAdmin;
  progress: Progress;
  partitions(): Iterable<PartitionState>;
  /** Milliseconds between two rounds over all topics. */
  intervalMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
}

/**
 * Asks the log by itself how far its partitions go. What the consumer is handed says nothing when it is handed nothing:
 * a fetch that hangs would look like an idle stream.
 */
export class LagMonitor {
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private shown = new Set<string>();

  constructor(private readonly options: LagMonitorOptions) {}

  start(): void {
    this.running = true;
    this.schedule();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /** The lag over all partitions of this process. */
  get total(): Lag {
    return lagOf([...this.options.partitions()], this.options.now());
  }

  /**
   * One round over the topics of the partitions that are assigned now. A topic that fails, as it was deleted perhaps, is
   * no reason to know nothing of the others; when all do, the log cannot be reached.
   */
  async measure(): Promise<void> {
    const byTopic = grouped(this.options.partitions(), 'topic');
    let failed = 0;
    for (const [topic, states] of byTopic) {
      try {
        await this.measureTopic(topic, states);
      } catch {
        // Whoever consumes meets that too, and says it.
        failed++;
      }
    }
    if (failed > 0 && failed === byTopic.size) return this.options.progress.attempted();
    this.options.progress.measured(this.total.events);
    this.show();
  }

  private async measureTopic(topic: string, states: readonly PartitionState[]): Promise<void> {
    const ends = new Map((await this.options.admin.offsets(topic)).map((o) => [o.partition, o.end]));
    for (const state of states) {
      state.end = Math.max(state.end, ends.get(state.partition) ?? 0);
      if (state.end <= state.commits.committed) state.handledUntil = this.options.now();
    }
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.round(), this.options.intervalMs);
    this.timer.unref();
  }

  private async round(): Promise<void> {
    await this.measure();
    if (this.running) this.schedule();
  }

  private show(): void {
    const byStream = grouped(this.options.partitions(), 'stream');
    for (const stream of this.shown) {
      if (byStream.has(stream)) continue;
      metrics.consumeLagRecords.remove({ stream });
      metrics.consumeLagSeconds.remove({ stream });
    }
    for (const [stream, states] of byStream) {
      const lag = lagOf(states, this.options.now());
      metrics.consumeLagRecords.set({ stream }, lag.events);
      metrics.consumeLagSeconds.set({ stream }, lag.seconds);
    }
    this.shown = new Set(byStream.keys());
  }
}

function lagOf(states: readonly PartitionState[], now: number): Lag {
  const lag = { events: 0, seconds: 0 };
  for (const { end, commits, handledUntil } of states) {
    if (end <= commits.committed) continue;
    lag.events += end - commits.committed;
    lag.seconds = Math.max(lag.seconds, (now - handledUntil) / 1000);
  }
  return lag;
}

function grouped(states: Iterable<PartitionState>, by: 'topic' | 'stream'): Map<string, PartitionState[]> {
  const groups = new Map<string, PartitionState[]>();
  for (const state of states) {
    const group = groups.get(state[by]);
    if (group) group.push(state);
    else groups.set(state[by], [state]);
  }
  return groups;
}
