import { resources } from '../resources/index.js';
import type { DesiredDefinition } from './desired-definition.js';

/**
 * Returns the definitions in the order in which they can be created: streams first, and a pipeline after those whose
 * output streams it reads and after the projections that it looks up. Definitions in a loop keep the order of the
 * files.
 */
export function inOrder(wanted: readonly DesiredDefinition[]): DesiredDefinition[] {
  const byKind = wanted.toSorted((a, b) => resources.indexOf(a.resource) - resources.indexOf(b.resource));
  const providersOf = (need: string) =>
    byKind.filter(({ resource, definition }) => resource.provides(definition).includes(need));
  const ordered = new Set<DesiredDefinition>();
  const visited = new Set<DesiredDefinition>();
  const visit = (one: DesiredDefinition) => {
    if (visited.has(one)) return;
    visited.add(one);
    for (const need of one.resource.needs(one.definition)) providersOf(need).forEach(visit);
    ordered.add(one);
  };
  byKind.forEach(visit);
  return [...ordered];
}
