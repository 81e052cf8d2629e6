import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, kafka, LOG, LOGGER, PROCESS, STORE } from '#app';
import {
  blockedWriteHealth,
  consumerHealth,
  createFlushTopic,
  followFlushRequests,
  LagMonitor,
  StalledConsumerDetector,
  type LagGauge,
  type OwnedPartition,
} from '#engine';
import { TopicAndGroupNames } from '#event';
import { untilReachable, type ProcessContext } from '#http';
import type { Log } from '#kafka';
import { definitionsHealth, type Definitions } from '#registry';
import type { Store } from '#store';
import type { Logger } from '#telemetry';

/** Work on the streams that a feature brings to the processor: all projections, or all pipelines. */
export interface ProcessorTask {
  readonly name: string;
  /** The partitions that the task consumes; its lag is measured by them. */
  partitions(): Iterable<OwnedPartition>;
  /** Metrics of the lag, by the name of a partition. */
  readonly lag: LagGauge;
  /** Names the call to Kafka or ClickHouse that is being retried; undefined while none is. */
  readonly complaint: string | undefined;
  /** Begins the work. The tables exist, and the definitions are read. */
  start(): void;
  /** Stops the work, and saves and commits what is done within `ms` milliseconds. */
  close(ms: number): Promise<void>;
  /** Saves the state of this consumer group soon, because a reader waits for it. */
  flushSoon?(group: string): void;
}

const lagIntervalMs = 5000;
/** Seconds of the shutdown time that are reserved for leaving the consumer groups and closing connections. */
const closeSeconds = 5;

/** Runs the tasks of all features, measures their lag, checks their health, and passes them flush requests. */
@Injectable()
export class ProcessorTasks {
  private readonly tasks: ProcessorTask[] = [];

  constructor(
    @Inject(PROCESS) private readonly context: ProcessContext,
    @Inject(LOG) private readonly log: Log,
    @Inject(STORE) private readonly store: Store,
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly topics: TopicAndGroupNames,
    private readonly progress: StalledConsumerDetector,
  ) {}

  /** Adds a task. A module calls it in `onModuleInit`: what its task uses is open then, and closes after the task. */
  add(task: ProcessorTask): void {
    if (this.tasks.length === 0) this.begin();
    this.tasks.push(task);
  }

  private begin(): void {
    const { lifecycle, health } = this.context;
    const taskOf = new WeakMap<OwnedPartition, ProcessorTask>();
    const lag = new LagMonitor<OwnedPartition>({
      admin: this.log.admin,
      progress: this.progress,
      intervalMs: lagIntervalMs,
      now: Date.now,
      nameOf: (partition) => `${taskOf.get(partition)?.name} ${partition.name}`,
      gauge: {
        set: (name, value) => this.gaugeOf(name, (gauge, own) => gauge.set(own, value)),
        remove: (name) => this.gaugeOf(name, (gauge, own) => gauge.remove(own)),
      },
      partitions: () =>
        this.tasks.flatMap((task) => {
          const partitions = [...task.partitions()];
          for (const partition of partitions) taskOf.set(partition, task);
          return partitions;
        }),
    });
    lag.start();
    health.register('log', () => this.log.admin.ping());
    health.register('store', () => this.store.ping());
    health.register('definitions', async () => definitionsHealth(this.definitions));
    health.register('saving', () => blockedWriteHealth(this));
    health.register('processor', async () => consumerHealth(lag, this.progress), { liveness: true });
    const flushes = followFlushRequests(this.log, this.topics, ({ group }) => {
      for (const task of this.tasks) task.flushSoon?.(group);
    });
    lifecycle.onStart(async () => {
      for (const task of this.tasks) task.start();
      await untilReachable(this.context, kafka, () => createFlushTopic(this.log.admin, this.topics));
      // The reader of flush requests starts in the background: without flush requests, states are saved at the usual
      // interval.
      flushes
        .start()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'flush requests are not read'));
    });
    const closeMs = Math.max(1, this.context.config.SHUTDOWN_SECONDS - closeSeconds) * 1000;
    lifecycle.onStop('lag', async () => lag.stop());
    lifecycle.onStop('tasks', async () => {
      await Promise.all(this.tasks.map((task) => task.close(closeMs)));
    });
    lifecycle.onStop('flush requests', () => flushes.close());
  }

  get complaint(): string | undefined {
    return this.tasks.map(({ complaint }) => complaint).find((complaint) => complaint !== undefined);
  }

  /** Calls `use` with the gauge of the task that a name begins with, and the rest of the name. */
  private gaugeOf(name: string, use: (gauge: LagGauge, own: string) => void): void {
    const task = this.tasks.find((one) => name.startsWith(`${one.name} `));
    if (task) use(task.lag, name.slice(task.name.length + 1));
  }
}
