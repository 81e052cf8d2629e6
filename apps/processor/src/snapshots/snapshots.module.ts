import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { PROCESS } from '#app';
import { LagMonitor, StalledConsumerDetector, type LagGauge } from '#engine';
import type { ProcessContext } from '#http';
import { TASK_DEPENDENCIES, type TaskDependencies } from '../tasks/task-dependencies.js';
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
    @Inject(PROCESS) private readonly process: ProcessContext,
    @Inject(TASK_DEPENDENCIES) private readonly shared: TaskDependencies,
    private readonly snapshotter: EntitySnapshotter,
  ) {}

  onModuleInit(): void {
    const { lifecycle } = this.process;
    const lag = new LagMonitor({
      admin: this.shared.log.admin,
      progress: new StalledConsumerDetector(),
      intervalMs: lagIntervalMs,
      now: Date.now,
      nameOf: () => 'snapshots',
      gauge: snapshotLag,
      partitions: () => this.snapshotter.partitions(),
    });
    lifecycle.onStart(async () => {
      lag.start();
      this.snapshotter.start();
    });
    lifecycle.onStop('lag of snapshots', async () => lag.stop());
    lifecycle.onStop('snapshots', () => this.snapshotter.close());
  }
}
