import type { CallOptions, Tributary } from '#client';
import { isActive, keyResource } from '../resources/key.js';
import { resources } from '../resources/index.js';
import type { ComparableDefinition, ExistingDefinition, ResourceOperations } from '../resources/resource.js';
import { differences, type MemberDifference } from './member-difference.js';
import { inOrder } from './in-order.js';
import type { DesiredDefinition } from './desired-definition.js';

/** What `apply` does with one definition. */
type PlanAction = 'create' | 'change' | 'delete' | 'unchanged';

/** One definition, and what `apply` must do with it on the server. */
export interface PlanStep {
  action: PlanAction;
  resource: ResourceOperations;
  name: string;
  /** The desired definition; for a deletion, the current definition. */
  definition: ComparableDefinition;
  differences: MemberDifference[];
}

/**
 * Compares the manifests with the server's definitions. Returns the steps in an order in which they can be executed.
 */
export async function planOf(
  client: Tributary,
  wanted: readonly DesiredDefinition[],
  { prune, ...options }: CallOptions & { prune: boolean },
): Promise<PlanStep[]> {
  const kinds = resources.filter(
    (resource) => wanted.some((one) => one.resource === resource) || (prune && resource.prunable),
  );
  const found = new Map<ResourceOperations, Map<string, ExistingDefinition>>();
  for (const resource of kinds) found.set(resource, await foundOf(client, resource, options));
  const steps = inOrder(wanted).map((one) => stepOf(one, found.get(one.resource)?.get(one.name)));
  return prune ? [...steps, ...deletions(wanted, found)] : steps;
}

async function foundOf(
  client: Tributary,
  resource: ResourceOperations,
  options: CallOptions,
): Promise<Map<string, ExistingDefinition>> {
  const found = new Map<string, ExistingDefinition>();
  for await (const item of resource.list(client, options)) {
    if (resource === keyResource && !isActive(item)) continue;
    const definition = resource.definitionOf(item);
    const name = resource.nameOf(definition);
    found.set(name, { name, definition });
  }
  return found;
}

function stepOf(
  { resource, name, definition }: DesiredDefinition,
  found: ExistingDefinition | undefined,
): PlanStep {
  if (!found) return { action: 'create', resource, name, definition, differences: [] };
  const differing = differences(resource, found.definition, definition);
  const action = differing.length > 0 ? 'change' : 'unchanged';
  return { action, resource, name, definition, differences: differing };
}

/** Returns deletions of definitions that are in no file; dependent definitions come first. */
function deletions(
  wanted: readonly DesiredDefinition[],
  found: Map<ResourceOperations, Map<string, ExistingDefinition>>,
): PlanStep[] {
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
