import type { SharedIdWindows } from '#dataflow';
import type { ErasureLookup, StalledConsumerDetector } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { Log } from '#kafka';
import type { Definitions } from '#registry';
import type { EventWriter, KeyedStateReader, KeyedStateStore, Store } from '#store';
import type { Logger, Tracing } from '#telemetry';

/** Injection token of the `TaskDependencies`. */
export const TASK_DEPENDENCIES = Symbol('TaskDependencies');

/** What the tasks of all features share. */
export interface TaskDependencies {
  /** The log without the events of rejected conditional writes. */
  log: Log;
  topics: TopicAndGroupNames;
  store: Store;
  definitions: Definitions;
  erasures: ErasureLookup;
  progress: StalledConsumerDetector;
  /** The id windows of all partitions, in which a repeated event id is recognised. Projections and pipelines share them. */
  idWindows: SharedIdWindows;
  /** Limits of the state cache of one task: entries, and approximate characters. */
  cache: { keys: number; weight: number };
  /** Limits of the states of one task that wait to be saved: entries, and approximate characters. */
  unsaved: { keys: number; weight: number };
  saveIntervalMs: number;
  logger: Logger;
  tracing: Tracing | undefined;
  /** Called once by a task that cannot continue. The callee ends the process. */
  onFailure: (error: Error) => void;
}

/** What a task with keyed states gets of `TaskDependencies`; it narrows the others. */
export type StatefulTaskDependencies = Omit<TaskDependencies, 'store' | 'definitions' | 'tracing'>;

/** What the partitions of such a task share. */
export type PartitionTaskDependencies = Pick<
  TaskDependencies,
  'log' | 'topics' | 'erasures' | 'idWindows' | 'progress' | 'logger'
>;

/** Returns the states of a task together with the dead letters that it writes. */
export function withDeadLetters(
  states: KeyedStateStore & Pick<KeyedStateReader, 'progress'>,
  { writer }: Pick<Store, 'writer'>,
): KeyedStateStore & Pick<KeyedStateReader, 'progress'> & Pick<EventWriter, 'appendDeadLetters'> {
  return {
    save: (rows, progress) => states.save(rows, progress),
    load: (owner, keys) => states.load(owner, keys),
    due: (owner, query) => states.due(owner, query),
    progressOf: (owner) => states.progressOf(owner),
    progress: (owners) => states.progress(owners),
    removeClosed: (owner, closed) => states.removeClosed(owner, closed),
    removeStages: (owner, stages) => states.removeStages(owner, stages),
    remove: (owner) => states.remove(owner),
    owners: () => states.owners(),
    appendDeadLetters: (deadLetters) => writer.appendDeadLetters(deadLetters),
  };
}
