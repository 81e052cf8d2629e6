import type { ProjectionGeneration } from '#registry';
import { compileFold, compileKey, compileSource, type Fold, type FoldEvent, type KeyResult } from '#dataflow';

/** The compiled source filter, key and fold of a generation of a projection. */
export interface CompiledGeneration {
  readonly build: ProjectionGeneration;
  /**
   * The event types that the source filter selects; undefined for all types. Events of other types are skipped before
   * they are decoded.
   */
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly matches: (event: FoldEvent) => boolean;
  readonly keyOf: (event: FoldEvent) => KeyResult;
  readonly fold: Fold;
}

/**
 * Compiles the definition of a generation.
 * @throws DefinitionError when this version cannot compile the definition
 */
export function compileGeneration(build: ProjectionGeneration): CompiledGeneration {
  const { source, key, fields } = build.spec;
  return {
    build,
    eventTypes: source.event_types && new Set(source.event_types),
    matches: compileSource(source),
    keyOf: compileKey(key),
    fold: compileFold(fields),
  };
}
