import { UntranslatableExpressionError } from '../../errors.js';
import type { Value } from './value.js';

export type Arithmetic = '+' | '-' | '*' | '/' | '%';

/**
 * Numbers are doubles here, whole or not, so that 5 / 2 is 2.5 whatever was sent as 5 or 5.0. Dividing by 0 is an
 * error. `+` joins strings; times and durations are added and taken apart.
 */
export function arithmetic(operator: Arithmetic, [a, b]: [Value, Value], at: number): Value {
  const result: Value = { at, exists: '' };
  if (a.number !== undefined && b.number !== undefined)
    result.number = ofNumbers(operator, a.number, b.number);
  if (operator === '+' && a.string !== undefined && b.string !== undefined) {
    result.string = `concat(${a.string}, ${b.string})`;
  }
  if (operator === '+' || operator === '-') addTimes(operator, [a, b], result);
  const parts = [result.number, result.string, result.timestamp, result.duration].filter(
    (part) => part !== undefined,
  );
  if (parts.length === 0) {
    throw new UntranslatableExpressionError(`${operator} has no meaning for these two sides.`, at);
  }
  result.exists = parts.map((part) => `isNotNull(${part})`).join(' OR ');
  if (parts.length > 1) result.exists = `(${result.exists})`;
  return result;
}

function ofNumbers(operator: Arithmetic, a: string, b: string): string {
  if (operator === '/') return `(${a} / nullIf(${b}, 0))`;
  if (operator === '%') return `modulo(${a}, nullIf(${b}, 0))`;
  return `(${a} ${operator} ${b})`;
}

function addTimes(operator: '+' | '-', [a, b]: [Value, Value], result: Value): void {
  if (a.timestamp !== undefined && b.duration !== undefined) {
    result.timestamp = `(${a.timestamp} ${operator} ${b.duration})`;
  } else if (operator === '+' && a.duration !== undefined && b.timestamp !== undefined) {
    result.timestamp = `(${a.duration} + ${b.timestamp})`;
  } else if (operator === '-' && a.timestamp !== undefined && b.timestamp !== undefined) {
    result.duration = `(${a.timestamp} - ${b.timestamp})`;
  } else if (a.duration !== undefined && b.duration !== undefined) {
    result.duration = `(${a.duration} ${operator} ${b.duration})`;
  }
}
