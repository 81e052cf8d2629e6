import { compileWhere } from './checked-expression.js';
import { locateExpressionErrors } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';

/** The filter of a source: selects events of its streams. */
export interface SourceFilter {
  /** The selected event types; all types if the member is absent. */
  event_types?: readonly string[];
  /** A CEL condition on `event`, with the semantics that it has in queries. */
  where?: string;
}

/**
 * Compiles the filter of a source. As in queries, an event does not match if `where` has no value for it (a missing
 * member, a wrong type).
 * @throws DefinitionError at /source/where
 */
export function compileSource({ event_types, where }: SourceFilter): (event: FoldEvent) => boolean {
  const types = event_types && new Set(event_types);
  const run =
    where === undefined ? undefined : locateExpressionErrors('/source/where', () => compileWhere(where));
  const isOfType = (event: FoldEvent) => !types || types.has(event.value.event_type as string);
  return run ? (event) => isOfType(event) && run(event) : isOfType;
}
