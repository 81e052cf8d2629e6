import { Global, Module } from '@nestjs/common';
import { DEFINITIONS, LOG, PROCESS, STORE } from '#app';
import { DedupeSettings, farBounds, farReach, idWindowBounds, SharedIdWindows } from '#dataflow';
import { Erasures, logTimeAt, StalledConsumerDetector, trackBatches } from '#engine';
import { TopicAndGroupNames } from '#event';
import type { ProcessContext } from '#http';
import type { Log } from '#kafka';
import type { Definitions } from '#registry';
import type { Store } from '#store';
import { activeWork } from '#telemetry';
import { leaveOutRejected, VerdictTable } from '#verdicts';
import { StateSettings } from './state-settings.js';
import { TASK_DEPENDENCIES, type TaskDependencies } from './task-dependencies.js';
import { ProcessorTasks } from './processor-tasks.js';

/** Injection token of the `Log` as tasks read it: without the events of rejected conditional writes. */
const TASK_LOG = Symbol('Log of tasks');

/** Nest module of what the tasks of all features share. */
@Global()
@Module({
  providers: [
    ProcessorTasks,
    { provide: StalledConsumerDetector, useFactory: () => new StalledConsumerDetector() },
    {
      provide: TASK_DEPENDENCIES,
      inject: [
        PROCESS,
        STORE,
        DEFINITIONS,
        TASK_LOG,
        TopicAndGroupNames,
        StalledConsumerDetector,
        DedupeSettings,
        StateSettings,
      ],
      useFactory: (
        context: ProcessContext,
        store: Store,
        definitions: Definitions,
        log: Log,
        topics: TopicAndGroupNames,
        progress: StalledConsumerDetector,
        dedupe: DedupeSettings,
        states: StateSettings,
      ): TaskDependencies => ({
        log,
        topics,
        store,
        definitions,
        erasures: new Erasures(definitions),
        progress,
        idWindows: new SharedIdWindows(idWindowBounds(dedupe)),
        cache: { keys: states.STATE_CACHED_KEYS, weight: states.STATE_CACHED_BYTES },
        unsaved: { keys: states.STATE_SAVE_KEYS, weight: states.STATE_SAVE_BYTES },
        saveIntervalMs: states.STATE_SAVE_INTERVAL_MS,
        logger: context.logger,
        tracing: context.tracing,
        onFailure: (error) => context.crash(error),
      }),
    },
    {
      provide: TASK_LOG,
      inject: [PROCESS, LOG, TopicAndGroupNames, StalledConsumerDetector, DedupeSettings],
      useFactory: (
        { lifecycle }: ProcessContext,
        log: Log,
        topics: TopicAndGroupNames,
        progress: StalledConsumerDetector,
        dedupe: DedupeSettings,
      ): Log => {
        const verdicts = new VerdictTable({ log, names: topics });
        lifecycle.onStop('verdicts', () => verdicts.close());
        return leaveOutRejected(trackBatches(log, activeWork), {
          verdicts,
          committed: async ({ topic, partition }) =>
            (await log.admin.committed(topics.materializerGroup, topic)).get(partition) ?? 0,
          waiting: () => progress.attempted(),
          isStream: (topic) => topics.streamOf(topic) !== undefined,
          busy: { records: dedupe.DEDUPE_WINDOW_RECORDS, milliseconds: farReach(farBounds(dedupe)) },
          logTimeAt,
        });
      },
    },
  ],
  exports: [ProcessorTasks, TASK_DEPENDENCIES],
})
export class TasksModule {}
