import type { BinaryOperator } from '#contracts';
import { spend, spendOnText } from './budget.js';
import { EvaluationError } from './errors.js';
import {
  compare,
  Duration,
  equal,
  isList,
  isNumber,
  isObject,
  kindOf,
  Timestamp,
  type Value,
} from './values.js';

export type Operate = (a: Value, b: Value, at: number) => Value;

/** Operators whose two sides are both always evaluated. */
export const operators: Record<Exclude<BinaryOperator, '&&' | '||'>, Operate> = {
  '==': (a, b) => equal(a, b),
  '!=': (a, b) => !equal(a, b),
  '<': (a, b, at) => compare(a, b, at) < 0,
  '<=': (a, b, at) => compare(a, b, at) <= 0,
  '>': (a, b, at) => compare(a, b, at) > 0,
  '>=': (a, b, at) => compare(a, b, at) >= 0,
  in: contains,
  '+': add,
  '-': subtract,
  '*': (a, b, at) => numbers('*', [a, b], at),
  '/': (a, b, at) => numbers('/', [a, b], at),
  '%': (a, b, at) => numbers('%', [a, b], at),
};

function contains(item: Value, container: Value, at: number): boolean {
  if (isList(container)) {
    spend(container.length);
    return container.some((element) => equal(element, item));
  }
  if (isObject(container) && typeof item === 'string') return Object.hasOwn(container, item);
  throw new EvaluationError(`Nothing can be looked for in a ${kindOf(container)}.`, at);
}

function add(a: Value, b: Value, at: number): Value {
  if (typeof a === 'string' && typeof b === 'string') {
    spendOnText(a.length + b.length);
    return a + b;
  }
  if (isList(a) && isList(b)) {
    spend(a.length + b.length);
    return [...a, ...b];
  }
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.micros + b.micros);
  if (a instanceof Duration && b instanceof Timestamp) return new Timestamp(a.micros + b.micros);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.micros + b.micros);
  return numbers('+', [a, b], at);
}

function subtract(a: Value, b: Value, at: number): Value {
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(a.micros - b.micros);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.micros - b.micros);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.micros - b.micros);
  return numbers('-', [a, b], at);
}

/**
 * Numbers are doubles here, whole or not, so that 5 / 2 is 2.5 whatever was sent as 5 or 5.0. Dividing by 0 is an
 * error.
 */
function numbers(operator: '+' | '-' | '*' | '/' | '%', [a, b]: [Value, Value], at: number): number {
  if (!isNumber(a) || !isNumber(b)) {
    throw new EvaluationError(`${operator} has no meaning for a ${kindOf(a)} and a ${kindOf(b)}.`, at);
  }
  const [x, y] = [Number(a), Number(b)];
  if (operator === '+') return x + y;
  if (operator === '-') return x - y;
  if (operator === '*') return x * y;
  if (y === 0) throw new EvaluationError('Division by zero.', at);
  return operator === '/' ? x / y : x % y;
}
