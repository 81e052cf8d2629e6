import { compileParsed, parseChecked, type CelValue, type KindSet } from '#cel';
import { eventVariable } from '../expressions/event-variable.js';
import type { FoldEvent } from './fold-event.js';

/**
 * Compiles an expression on `event` with exact arithmetic on decimals.
 * @throws InvalidCelExpressionError if the text is not a valid expression, or can return none of the desired kinds
 */
export function compileExact(text: string, desired: KindSet): (event: FoldEvent) => CelValue {
  const run = compileParsed(parseChecked(text, eventVariable, desired), eventVariable);
  return (event) => run(event.value);
}
