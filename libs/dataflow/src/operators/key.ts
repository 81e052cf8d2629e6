import { compileKey, type KeyOutcome } from '../folds/compile-key.js';
import { DefinitionError } from '../folds/definition-error.js';
import type { FoldEvent } from '../folds/fold-event.js';
import { pipelineLimits } from '../pipelines/limits.js';
import { text } from '../pipelines/members.js';
import { OperatorError } from './operator.js';

/**
 * Compiles the key of an operator; keys are those of projections. Null is no key.
 * @returns what throws OperatorError at the pointer when an event cannot have a key.
 * @throws DefinitionError at the pointer
 */
export function compileOperandKey(expression: unknown, pointer: string): (event: FoldEvent) => string | null {
  const source = text(expression, pointer, pipelineLimits.expressionCharacters);
  const keyOf = definedUnder(pointer, () => compileKey(source));
  return (event) => {
    const { key, refused } = keyOf(event);
    if (refused) throw new OperatorError(pointer, refused.detail);
    return key;
  };
}

function definedUnder(pointer: string, compile: () => (event: FoldEvent) => KeyOutcome) {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new DefinitionError(error.errors.map(({ detail }) => ({ pointer, detail })));
  }
}
