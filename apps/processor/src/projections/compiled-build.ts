import type { ProjectionBuild } from '#registry';
import {
  compileFold,
  compileKey,
  compileSource,
  type Fold,
  type FoldEvent,
  type KeyOutcome,
} from '#dataflow';

/** The compiled expressions of a generation of a projection. */
export interface CompiledBuild {
  readonly build: ProjectionBuild;
  /**
   * The event types of the source; undefined for all types. Events of other types are skipped before they are
   * decoded.
   */
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly matches: (event: FoldEvent) => boolean;
  readonly keyOf: (event: FoldEvent) => KeyOutcome;
  readonly fold: Fold;
}

/**
 * Compiles the definition of a generation.
 * @throws DefinitionError when this version cannot compile the definition
 */
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
