import { compileWhere } from './checked-expression.js';
import { locateExpressionErrors } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';

/**
 * The filter of a projection's or a pipeline's source, in the form that clients write: selects events of the source
 * streams by type and condition.
 */
export interface SourceFilterSpec {
  /** The event types that the filter selects; all types if this member is absent. */
  event_types?: readonly string[];
  /** A CEL condition on `event`, with the semantics that it has in queries. */
  where?: string;
}

/**
 * Compiles the filter of a source. As in queries, an event does not match if `where` has no value for the event (a
 * missing member, a wrong type).
 * @throws DefinitionError at /source/where
 */
export function compileSource({ event_types, where }: SourceFilterSpec): (event: FoldEvent) => boolean {
  const types = event_types && new Set(event_types);
  const run =
    where === undefined ? undefined : locateExpressionErrors('/source/where', () => compileWhere(where));
  const isOfType = (event: FoldEvent) => !types || types.has(event.value.event_type as string);
  return run ? (event) => isOfType(event) && run(event) : isOfType;
}
