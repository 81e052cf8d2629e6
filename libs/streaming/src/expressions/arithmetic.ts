import type { BinaryOperator } from '#contracts';
import type { Call } from './call.js';
import { EvaluationError } from './errors.js';
import { functions } from './functions.js';
import { operators, type Operate } from './operators.js';
import { isNumber, kindOf, type Value } from './values.js';

/** How an expression computes with numbers. */
export interface Arithmetic {
  /** Operators whose two sides are both always evaluated. */
  readonly operators: Record<Exclude<BinaryOperator, '&&' | '||'>, Operate>;
  readonly functions: Record<string, Call>;
  readonly negate: (value: Value, at: number) => Value;
}

/** Doubles: what ClickHouse computes for the same expression. */
export const doubles: Arithmetic = {
  operators,
  functions,
  negate: (value, at) => {
    if (isNumber(value)) return -value;
    throw new EvaluationError(`A ${kindOf(value)} cannot be negated.`, at);
  },
};
