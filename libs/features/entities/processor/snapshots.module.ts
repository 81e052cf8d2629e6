import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { LagMonitor, StalledConsumerDetector, type LagGauge } from '#engine';
import { ProcessorTasks, TASK_DEPENDENCIES, type TaskDependencies } from '#processor-kit';
import { snapshotLagRecords, snapshotLagSeconds } from './snapshot-metrics.js';
import { EntitySnapshotter } from './entity-snapshotter.js';

const lagIntervalMs = 5000;

const snapshotLag: LagGauge = {
  set: (_, { events, seconds }) => {
    snapshotLagRecords.set(events);
    snapshotLagSeconds.set(seconds);
  },
  remove: () => {
    snapshotLagRecords.set(0);
    snapshotLagSeconds.set(0);
  },
};

/**
 * Nest module of the snapshots of entities. A missing snapshot only makes a later read slower, so the snapshotter does
 * not affect the health checks.
 */
@Module({
  providers: [
    {
      provide: EntitySnapshotter,
      inject: [TASK_DEPENDENCIES],
      useFactory: ({ store, ...shared }: TaskDependencies) =>
        new EntitySnapshotter({
          log: shared.log,
          topics: shared.topics,
          logger: shared.logger,
          definitions: shared.definitions,
          erasures: shared.erasures,
          onFailure: shared.onFailure,
          snapshots: store.snapshots,
          versions: store.writer,
        }),
    },
  ],
})
export class SnapshotsModule implements OnModuleInit {
  constructor(
    private readonly tasks: ProcessorTasks,
    @Inject(TASK_DEPENDENCIES) private readonly shared: TaskDependencies,
    private readonly snapshotter: EntitySnapshotter,
  ) {}

  onModuleInit(): void {
    const lag = new LagMonitor({
      admin: this.shared.log.admin,
      progress: new StalledConsumerDetector(),
      intervalMs: lagIntervalMs,
      now: Date.now,
      nameOf: () => 'snapshots',
      gauge: snapshotLag,
      partitions: () => this.snapshotter.partitions(),
    });
    this.tasks.add({
      name: 'snapshots',
      // The health checks do not see their lag.
      partitions: () => [],
      lag: snapshotLag,
      complaint: undefined,
      start: () => {
        lag.start();
        this.snapshotter.start();
      },
      close: async () => {
        lag.stop();
        await this.snapshotter.close();
      },
    });
  }
}
