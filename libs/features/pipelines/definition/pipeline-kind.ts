import {
  definitionLimitReached,
  lifecycleActionOf,
  oneRecord,
  type ResourceKind,
  type ResourceStore,
  requireSourceOfEachStream,
  UnreadableDefinitionError,
} from '#registry';
import { sourceStreams } from '#features/pipelines/computation';
import { mostPipelines, PipelineDefinition } from './pipeline-definition.js';

declare module '#registry' {
  interface ResourceStores {
    /** Definitions of pipelines, by name. */
    pipelines: ResourceStore<PipelineDefinition>;
  }
}

/** Rules of pipelines. Each record contains the whole definition of a pipeline, with its job. */
export const pipelineKind: ResourceKind<PipelineDefinition> = {
  kind: 'pipeline',
  store: 'pipelines',
  most: mostPipelines,
  full: () =>
    definitionLimitReached(
      `The limit of ${mostPipelines} pipelines is reached. Delete one that is not needed, or combine several with branches.`,
    ),
  ...oneRecord(PipelineDefinition, {
    nameOf: ({ name }) => name,
    specOf: ({ spec }) => spec,
    requireConsistent: ({ spec, run }) => requireSourceOfEachStream(run.sources, streamsOf(spec)),
  }),
  failureOf: ({ failure }) => failure,
  eventType: (before, after) => {
    if (!after) return 'pipeline.deleted';
    return `pipeline.${before ? actionOf(before, after) : 'created'}`;
  },
  redact: ({ run, ...shown }) => ({ ...shown, run: { id: run.id, started_at: run.started_at } }),
};

/**
 * Returns the last part of the audit event type for a changed pipeline, such as `paused`. Of several differences, the
 * most important one decides.
 */
function actionOf(before: PipelineDefinition, after: PipelineDefinition): string {
  if (after.version !== before.version) return 'changed';
  if (after.run.id !== before.run.id) return 'reset';
  return lifecycleActionOf(before, after);
}

/** Returns the streams that a spec of a record names. @throws UnreadableDefinitionError for operators of another form */
function streamsOf(spec: PipelineDefinition['spec']): string[] {
  try {
    return [...sourceStreams(spec).keys()];
  } catch {
    throw new UnreadableDefinitionError('an operator has a form that this version does not know');
  }
}
