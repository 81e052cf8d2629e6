import {
  definitionLimitReached,
  lifecycleActionOf,
  oneRecord,
  UnreadableDefinitionError,
  type ResourceKind,
  type ResourceStore,
  requireSourceOfEachStream,
} from '#registry';
import {
  latestGeneration,
  projectionLimits,
  type ProjectionGeneration,
  ProjectionDefinition,
} from './projection-definition.js';

declare module '#registry' {
  interface ResourceStores {
    /** Definitions of projections, by name. */
    projections: ResourceStore<ProjectionDefinition>;
  }
}

const most = projectionLimits.projections;

/**
 * Rules of projections. Each record contains the whole definition of a projection, with its serving and its building
 * generation.
 */
export const projectionKind: ResourceKind<ProjectionDefinition> = {
  kind: 'projection',
  store: 'projections',
  most,
  full: () =>
    definitionLimitReached(
      `The limit of ${most} projections is reached. Delete one that is not needed, or combine several into one.`,
    ),
  ...oneRecord(ProjectionDefinition, {
    nameOf: ({ name }) => name,
    specOf: (definition) => latestGeneration(definition).spec,
    requireConsistent: ({ version, serving, building }) => {
      for (const generation of [serving, building])
        if (generation) requireSourceOfEachStream(generation.sources, generation.spec.source.streams);
      if ((building ?? serving)?.version !== version)
        throw new UnreadableDefinitionError('the current version has no generation');
    },
  }),
  failureOf: ({ failure }) => failure,
  eventType: (before, after) => {
    if (!after) return 'projection.deleted';
    return `projection.${before ? actionOf(before, after) : 'created'}`;
  },
  redact: (value) => ({
    name: value.name,
    version: value.version,
    created_at: value.created_at,
    paused: value.paused,
    spec: latestGeneration(value).spec,
    serving: shortOf(value.serving),
    building: shortOf(value.building),
    failure: value.failure,
  }),
};

/**
 * Returns the last part of the audit event type for a changed projection, such as `switched`. Of several differences,
 * the most important one decides.
 */
function actionOf(before: ProjectionDefinition, after: ProjectionDefinition): string {
  if (after.version !== before.version) return 'changed';
  if (after.serving?.id !== before.serving?.id) return 'switched';
  if (latestGeneration(after).id !== latestGeneration(before).id) return 'reset';
  return lifecycleActionOf(before, after);
}

/** Returns the id, version and start time of a generation, which the audit shows of it. */
function shortOf(generation: ProjectionGeneration | null): unknown {
  return generation && { id: generation.id, version: generation.version, started_at: generation.started_at };
}
