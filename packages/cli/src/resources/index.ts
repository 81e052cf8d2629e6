import { UsageError } from '../errors/cli-error.js';
import { keyResource } from './key.js';
import { pipelineResource } from './pipeline.js';
import { projectionResource } from './projection.js';
import type { Resource } from './resource.js';
import { schemaResource } from './schema.js';
import { streamResource } from './stream.js';

/** Every kind, those that others need first. */
export const resources: readonly Resource[] = [
  streamResource,
  schemaResource,
  projectionResource,
  pipelineResource,
  keyResource,
];

export const plurals: readonly string[] = resources.map(({ plural }) => plural);

/** @throws UsageError for a word that is no kind, in the singular or the plural */
export function resourceOf(word: string): Resource {
  const found = resources.find(({ kind, plural }) => word === kind || word === plural);
  if (found) return found;
  throw new UsageError(`"${word}" is no kind of definition. There are: ${plurals.join(', ')}.`);
}
