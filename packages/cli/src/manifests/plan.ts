import type { CallOptions, Tributary } from '#client';
import { isDeepStrictEqual } from 'node:util';
import { isActive, keyResource, resources } from '../resources/index.js';
import type { ComparableDefinition, ExistingDefinition, ResourceOperations } from '../resources/resource.js';
import type { DesiredDefinition } from './read-manifests.js';
import { UsageError } from '../errors/cli-error.js';

/** One definition, and what `apply` must do with it on the server. */
export interface PlanStep {
  action: 'create' | 'change' | 'delete' | 'unchanged';
  resource: ResourceOperations;
  name: string;
  /** The desired definition; for a deletion, the current definition. */
  definition: ComparableDefinition;
  differences: MemberDifference[];
}

/** Compares the manifests with the server's definitions. Returns steps in an order that can be executed. */
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
  const differing = found ? differences(resource, found.definition, definition) : [];
  const changed = differing.length > 0 ? 'change' : 'unchanged';
  return { action: found ? changed : 'create', resource, name, definition, differences: differing };
}

/** Returns deletions of definitions that are in no file; dependent definitions come first. */
function deletions(
  wanted: readonly DesiredDefinition[],
  found: Map<ResourceOperations, Map<string, ExistingDefinition>>,
): PlanStep[] {
  const kept = new Set(wanted.map(({ resource, name }) => `${resource.kind} ${name}`));
  const gone = [...found]
    .filter(([resource]) => resource.prunable)
    .flatMap(([resource, items]) => [...items.values()].map((item) => ({ resource, ...item })))
    .filter(({ resource, name }) => !kept.has(`${resource.kind} ${name}`));
  const steps = inOrder(gone).map((item): PlanStep => ({ action: 'delete', ...item, differences: [] }));
  return steps.toReversed();
}

/** Refuses a plan that changes an immutable member, before any step is executed. @throws UsageError */
export function requireApplicable(steps: readonly PlanStep[]): void {
  for (const { action, resource, name, differences } of steps) {
    if (action !== 'change') continue;
    const fixed = differences.find(({ path }) => resource.fixed.includes(path.split('/')[1]!));
    if (!fixed) continue;
    const { path, found, wanted } = fixed;
    throw new UsageError(
      `${path} of the ${resource.kind} ${name} cannot be changed from ${JSON.stringify(found)} to ${JSON.stringify(wanted)}. ` +
        `Delete the ${resource.kind} first, or write the current value to the file.`,
    );
  }
}

/**
 * Returns the definitions in the order in which they can be created: streams first, and a pipeline after those whose
 * output streams it reads and after the projections that it looks up. Definitions in a loop keep the order of the
 * files.
 */
export function inOrder<T extends Pick<DesiredDefinition, 'resource' | 'definition'>>(
  wanted: readonly T[],
): T[] {
  const byKind = wanted.toSorted((a, b) => resources.indexOf(a.resource) - resources.indexOf(b.resource));
  const providersOf = (need: string) =>
    byKind.filter(({ resource, definition }) => resource.provides(definition).includes(need));
  const ordered = new Set<T>();
  const visited = new Set<T>();
  const visit = (one: T) => {
    if (visited.has(one)) return;
    visited.add(one);
    for (const need of one.resource.needs(one.definition)) providersOf(need).forEach(visit);
    ordered.add(one);
  };
  byKind.forEach(visit);
  return [...ordered];
}

/** A member of a definition that differs from the manifest. */
interface MemberDifference {
  /** JSON pointer to the member in the definition. */
  path: string;
  found: unknown;
  wanted: unknown;
}

/** Returns the differences. Optional members that the manifest omits are not compared. */
export function differences(
  { optional }: Pick<ResourceOperations, 'optional'>,
  found: ComparableDefinition,
  wanted: ComparableDefinition,
): MemberDifference[] {
  const compared = Object.entries(found).filter(([name]) => name in wanted || !optional.includes(name));
  return differing(Object.fromEntries(compared), wanted, '');
}

function differing(found: unknown, wanted: unknown, path: string): MemberDifference[] {
  if (isDeepStrictEqual(found, wanted)) return [];
  if (Array.isArray(found) && Array.isArray(wanted) && found.length === wanted.length)
    return found.flatMap((one, i) => differing(one, wanted[i], `${path}/${i}`));
  if (!isPlain(found) || !isPlain(wanted)) return [{ path, found, wanted }];
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...names].flatMap((name) => differing(found[name], wanted[name], `${path}/${escaped(name)}`));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Escapes a name for a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
