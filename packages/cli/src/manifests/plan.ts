import type { CallOptions, Tributary } from '#client';
import { isActive, keyResource } from '../resources/key.js';
import { resources } from '../resources/index.js';
import type { Definition, Found, Resource } from '../resources/resource.js';
import { differences, type Difference } from './difference.js';
import { inOrder } from './in-order.js';
import type { Wanted } from './wanted.js';

export type Action = 'create' | 'change' | 'delete' | 'unchanged';

/** The action for one definition. */
export interface Step {
  action: Action;
  resource: Resource;
  name: string;
  /** The desired definition; for a deletion, the current definition. */
  definition: Definition;
  differences: Difference[];
}

/**
 * Compares the manifests with the server's definitions. Returns the steps in an order in which they can be executed.
 */
export async function planOf(
  client: Tributary,
  wanted: readonly Wanted[],
  { prune, ...options }: CallOptions & { prune: boolean },
): Promise<Step[]> {
  const kinds = resources.filter(
    (resource) => wanted.some((one) => one.resource === resource) || (prune && resource.prunable),
  );
  const found = new Map<Resource, Map<string, Found>>();
  for (const resource of kinds) found.set(resource, await foundOf(client, resource, options));
  const steps = inOrder(wanted).map((one) => stepOf(one, found.get(one.resource)?.get(one.name)));
  return prune ? [...steps, ...deletions(wanted, found)] : steps;
}

async function foundOf(
  client: Tributary,
  resource: Resource,
  options: CallOptions,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for await (const item of resource.list(client, options)) {
    if (resource === keyResource && !isActive(item)) continue;
    const definition = resource.definitionOf(item);
    const name = resource.nameOf(definition);
    found.set(name, { name, definition });
  }
  return found;
}

function stepOf({ resource, name, definition }: Wanted, found: Found | undefined): Step {
  if (!found) return { action: 'create', resource, name, definition, differences: [] };
  const differing = differences(resource, found.definition, definition);
  const action = differing.length > 0 ? 'change' : 'unchanged';
  return { action, resource, name, definition, differences: differing };
}

/** Returns deletions of definitions that are in no file; dependent definitions come first. */
function deletions(wanted: readonly Wanted[], found: Map<Resource, Map<string, Found>>): Step[] {
  const kept = new Set(wanted.map(({ resource, name }) => `${resource.kind} ${name}`));
  const gone = [...found]
    .filter(([resource]) => resource.prunable)
    .flatMap(([resource, items]) => [...items.values()].map((item) => ({ resource, place: '', ...item })))
    .filter(({ resource, name }) => !kept.has(`${resource.kind} ${name}`));
  return inOrder(gone)
    .toReversed()
    .map(({ resource, name, definition }) => ({
      action: 'delete',
      resource,
      name,
      definition,
      differences: [],
    }));
}
