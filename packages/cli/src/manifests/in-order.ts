import { resources } from '../resources/index.js';
import type { Wanted } from './wanted.js';

/**
 * The definitions in the order in which they can be made: streams first, a pipeline behind those whose streams it reads
 * and behind the projections that it asks. In a loop the order of the files counts.
 */
export function inOrder(wanted: readonly Wanted[]): Wanted[] {
  const byKind = wanted.toSorted((a, b) => resources.indexOf(a.resource) - resources.indexOf(b.resource));
  const providersOf = (need: string) =>
    byKind.filter(({ resource, definition }) => resource.provides(definition).includes(need));
  const ordered = new Set<Wanted>();
  const visited = new Set<Wanted>();
  const visit = (one: Wanted) => {
    if (visited.has(one)) return;
    visited.add(one);
    for (const need of one.resource.needs(one.definition)) providersOf(need).forEach(visit);
    ordered.add(one);
  };
  byKind.forEach(visit);
  return [...ordered];
}
