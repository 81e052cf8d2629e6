export { AgeOrderedMap } from './age-ordered-map.js';
export { DefinitionFailureReporter } from './definition-failure-reporter.js';
export { KeyBloomFilter } from './key-bloom-filter.js';
export { endAfterCheckpoint, NotResumableError } from './not-resumable-error.js';
export { type ProcessorTask, ProcessorTasks } from './processor-tasks.js';
export {
  type ChangeSaveDependencies,
  deadLettersWeight,
  initialProgress,
  saveChanges,
  saveDeadLetters,
  type UnsavedStateChanges,
} from './save-changes.js';
export { StaleDefinitionMetricsRemover } from './definition-failure-reporter.js';
export { StateSettings } from './state-settings.js';
export {
  type PartitionTaskDependencies,
  type StatefulTaskDependencies,
  TASK_DEPENDENCIES,
  withDeadLetters,
  type TaskDependencies,
} from './task-dependencies.js';
export { TasksModule } from './tasks.module.js';
