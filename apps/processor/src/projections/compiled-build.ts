import type { ProjectionBuild } from '#registry';
import {
  compileFold,
  compileKey,
  compileSource,
  type Fold,
  type FoldEvent,
  type KeyOutcome,
} from '#dataflow';

/** What a build does with an event. */
export interface CompiledBuild {
  readonly build: ProjectionBuild;
  /** Undefined takes every type: most events need not be looked at any closer. */
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly matches: (event: FoldEvent) => boolean;
  readonly keyOf: (event: FoldEvent) => KeyOutcome;
  readonly fold: Fold;
}

/** @throws DefinitionError when the definition is not one that this version understands */
export function compileBuild(build: ProjectionBuild): CompiledBuild {
  const { source, key, fields } = build.spec;
  return {
    build,
    eventTypes: source.event_types && new Set(source.event_types),
    matches: compileSource(source),
    keyOf: compileKey(key),
    fold: compileFold(fields),
  };
}
