import { UsageError } from '../errors/cli-error.js';
import { keyResource } from './key.js';
import { pipelineResource } from './pipeline.js';
import { projectionResource } from './projection.js';
import type { ResourceOperations } from './resource.js';
import { schemaResource } from './schema.js';
import { streamResource } from './stream.js';

/** Every kind of resource; kinds that others depend on come first. */
export const resources: readonly ResourceOperations[] = [
  streamResource,
  schemaResource,
  projectionResource,
  pipelineResource,
  keyResource,
];

export const plurals: readonly string[] = resources.map(({ plural }) => plural);

/** Finds a kind by its singular or plural. @throws UsageError for an unknown word */
export function resourceOf(word: string): ResourceOperations {
  const found = resources.find(({ kind, plural }) => word === kind || word === plural);
  if (found) return found;
  throw new UsageError(`"${word}" is not a kind of definition. The kinds are: ${plurals.join(', ')}.`);
}
