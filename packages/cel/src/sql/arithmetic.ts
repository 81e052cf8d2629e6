import { UntranslatableExpressionError } from '../errors.js';
import { decimalOperation, computed, withAliases, type ArithmeticOperator } from './numbers.js';
import type { SqlValue } from './sql-value.js';

/**
 * Translates an arithmetic operator. Numbers are decimals; division by 0 is an error. `+` also joins strings, and `+`
 * and `-` accept times and durations.
 */
export function arithmetic(operator: ArithmeticOperator, [a, b]: [SqlValue, SqlValue], at: number): SqlValue {
  const numbers = a.decimal !== undefined && b.decimal !== undefined;
  const result = numbers
    ? computed(decimalOperation(operator, a.decimal!, b.decimal!), at)
    : ({ at, exists: '' } as SqlValue);
  if (operator === '+' && a.string !== undefined && b.string !== undefined) {
    result.string = `concat(${a.string}, ${b.string})`;
  }
  if (operator === '+' || operator === '-') addTimes(operator, [a, b], result);
  const parts = [result.decimal, result.string, result.timestamp, result.duration].filter(
    (part) => part !== undefined,
  );
  if (parts.length === 0) {
    throw new UntranslatableExpressionError(`${operator} has no meaning for these two sides.`, at);
  }
  result.exists = parts.map((part) => `isNotNull(${part})`).join(' OR ');
  if (parts.length > 1) result.exists = `(${result.exists})`;
  return result;
}

/** Returns SQL for microseconds within the exact integers of a double (285 years), otherwise for NULL. */
function micros(sum: string): string {
  return withAliases({ m: sum }, 'if(abs(m) <= 9007199254740991, m, NULL)');
}

function addTimes(operator: '+' | '-', [a, b]: [SqlValue, SqlValue], result: SqlValue): void {
  if (a.timestamp !== undefined && b.duration !== undefined) {
    result.timestamp = micros(`(${a.timestamp} ${operator} ${b.duration})`);
  } else if (operator === '+' && a.duration !== undefined && b.timestamp !== undefined) {
    result.timestamp = micros(`(${a.duration} + ${b.timestamp})`);
  } else if (operator === '-' && a.timestamp !== undefined && b.timestamp !== undefined) {
    result.duration = micros(`(${a.timestamp} - ${b.timestamp})`);
  } else if (a.duration !== undefined && b.duration !== undefined) {
    result.duration = micros(`(${a.duration} ${operator} ${b.duration})`);
  }
}
