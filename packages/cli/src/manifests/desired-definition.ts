import { UsageError } from '../errors/cli-error.js';
import { resourceOf } from '../resources/index.js';
import type { ComparableDefinition, ResourceOperations } from '../resources/resource.js';

/** A stream, schema, projection, pipeline or key that a manifest file asks for. */
export interface DesiredDefinition {
  resource: ResourceOperations;
  name: string;
  definition: ComparableDefinition;
  /** The file, and the number of the document in it. */
  place: string;
}

/** Validates one document of a file. @throws UsageError that names the file and the document */
export function readManifest(document: unknown, place: string): DesiredDefinition {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new UsageError(`${place}: a definition is an object with "kind".`);
  const { kind, ...body } = document as ComparableDefinition;
  if (typeof kind !== 'string') throw new UsageError(`${place}: "kind" is missing.`);
  const resource = knownResource(kind, place);
  for (const member of Object.keys(body))
    if (!resource.members.includes(member))
      throw new UsageError(`${place}: a ${kind} has no member "${member}".`);
  const definition = resource.definitionOf(body);
  if (resource.namedBy.some((member) => definition[member] === undefined))
    throw new UsageError(`${place}: the name of the ${kind} is missing.`);
  return { resource, name: resource.nameOf(definition), definition, place };
}

function knownResource(kind: string, place: string): ResourceOperations {
  try {
    return resourceOf(kind);
  } catch (error) {
    throw new UsageError(`${place}: ${(error as Error).message}`);
  }
}
