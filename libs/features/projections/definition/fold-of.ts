import { compileFold, type Fold } from '#dataflow';
import type { ProjectionGeneration } from './projection-definition.js';

const folds = new WeakMap<ProjectionGeneration, Fold>();

/** Returns the fold of a generation. Compiles it once. */
export function foldOf(generation: ProjectionGeneration): Fold {
  const known = folds.get(generation);
  if (known) return known;
  const fold = compileFold(generation.spec.fields);
  folds.set(generation, fold);
  return fold;
}
