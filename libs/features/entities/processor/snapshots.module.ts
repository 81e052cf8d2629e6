import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { STORE } from '#app';
import { LagMonitor, StalledConsumerDetector, type LagGauge } from '#engine';
import { ClickHouseEntitySnapshotStore } from '#features/entities/state';
import { ProcessorTasks, TASK_DEPENDENCIES, type TaskDependencies } from '#processor-kit';
import type { ClickHouseStore } from '#store';
import { snapshotLagRecords, snapshotLagSeconds } from './snapshot-metrics.js';
import { EntitySnapshotter } from './entity-snapshotter.js';

const lagIntervalMs = 5000;

const snapshotLag: LagGauge = {
  set: (_, { events, seconds }) => {
    snapshotLagRecords.set(events);
    snapshotLagSeconds.set(seconds);
  },
  remove: (name) => snapshotLag.set(name, { events: 0, seconds: 0 }),
};

/**
 * Nest module of the snapshots of entities. A missing snapshot only makes a later read slower, so the snapshotter does
 * not affect the health checks.
 */
@Module({
  providers: [
    {
      provide: EntitySnapshotter,
      inject: [TASK_DEPENDENCIES, STORE],
      useFactory: (shared: TaskDependencies, store: ClickHouseStore) => {
        const { log, topics, logger, definitions, erasures, onFailure } = shared;
        return new EntitySnapshotter({
          ...{ log, topics, logger, definitions, erasures, onFailure },
          snapshots: new ClickHouseEntitySnapshotStore(store),
          versions: store.writer,
        });
      },
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
