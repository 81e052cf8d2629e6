import { checkComparisons, compileCondition, kinds, parseChecked } from '#cel';
import { locateExpressionErrors } from '../definition/definition-error.js';
import { eventVariable } from '../expressions/event-variable.js';
import type { FoldEvent } from './fold-event.js';

/** The filter of a source in the form that clients write: selects events by type and condition. */
export interface SourceFilterSpec {
  /** The event types that the filter selects; all types if this member is absent. */
  event_types?: readonly string[];
  /** A CEL condition on `event`, with the semantics that it has in queries. */
  where?: string;
}

/**
 * Compiles a source filter. An event for which `where` has no value does not match.
 * @param pointer JSON pointer to `where` in the definition
 * @throws DefinitionError
 */
export function compileSource(
  { event_types, where }: SourceFilterSpec,
  pointer = '/source/where',
): (event: FoldEvent) => boolean {
  const types = event_types && new Set(event_types);
  const run = where === undefined ? undefined : locateExpressionErrors(pointer, () => compileWhere(where));
  const isOfType = (event: FoldEvent) => !types || types.has(event.value.event_type as string);
  return run ? (event) => isOfType(event) && run(event) : isOfType;
}

function compileWhere(text: string): (event: FoldEvent) => boolean {
  const expression = parseChecked(text, eventVariable, kinds.boolean);
  checkComparisons(expression);
  const run = compileCondition(expression, eventVariable);
  return (event) => run(event.value);
}
