import { compileWhere } from './checked-expression.js';
import { definedAt } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';

/** Which events of its streams a definition takes. */
export interface SourceFilter {
  /** Any when it is left out. */
  event_types?: readonly string[];
  /** A CEL expression on `event`, with the meaning that it has in queries. */
  where?: string;
}

/**
 * Compiles a source's filter. An event for which `where` has no value (a missing member, a wrong type) does not match, as
 * in queries.
 * @throws DefinitionError at /source/where
 */
export function compileSource({ event_types, where }: SourceFilter): (event: FoldEvent) => boolean {
  const types = event_types && new Set(event_types);
  const run = where === undefined ? undefined : definedAt('/source/where', () => compileWhere(where));
  const isOfType = (event: FoldEvent) => !types || types.has(event.value.event_type as string);
  return run ? (event) => isOfType(event) && run(event) : isOfType;
}
