import type { BinaryOperator } from '../expression-tree.js';
import { UntranslatableExpressionError } from '../errors.js';
import { firstOf } from './numbers.js';
import { kinds, valueOf, type SqlKind, type SqlValue } from './sql-value.js';

type OrderingOperator = Extract<BinaryOperator, '<' | '<=' | '>' | '>='>;

/** Translates `a == b`: true if both are of the same kind and equal, NULL for an error or two lists or objects. */
export function equality(a: SqlValue, b: SqlValue, at: number): SqlValue {
  const shared = kinds.filter((kind) => a[kind] !== undefined && b[kind] !== undefined);
  const same = shared.map((kind) => `ifNull(${compared(kind, '=', [a, b])}, 0)`);
  if (a.isNull && b.isNull) same.push(`((${a.isNull}) AND (${b.isNull}))`);
  if (same.length === 0) {
    throw new UntranslatableExpressionError('The two sides can never be of one type.', at);
  }
  const conditions = [a.exists, b.exists].filter((exists) => exists !== '1');
  if (a.isContainer && b.isContainer) conditions.push(`NOT ((${a.isContainer}) AND (${b.isContainer}))`);
  const equal = `(${same.join(' OR ')})`;
  const sql = conditions.length === 0 ? equal : `if(${conditions.join(' AND ')}, ${equal}, NULL)`;
  return valueOf('bool', sql, at);
}

/** Translates an ordering: NULL unless both sides are numbers, strings, timestamps or durations. */
export function ordering(operator: OrderingOperator, [a, b]: [SqlValue, SqlValue], at: number): SqlValue {
  const shared = kinds.filter((kind) => kind !== 'bool' && a[kind] !== undefined && b[kind] !== undefined);
  if (shared.length === 0) {
    const hint =
      a.timestamp !== a.string || b.timestamp !== b.string ? ' Write a time as timestamp("…").' : '';
    throw new UntranslatableExpressionError(`The two sides cannot be ordered.${hint}`, at);
  }
  const parts = shared.map((kind) => compared(kind, operator, [a, b]));
  return valueOf('bool', firstOf(parts), at);
}

type ComparisonOperator = '=' | OrderingOperator;

function compared(kind: SqlKind, operator: ComparisonOperator, [a, b]: [SqlValue, SqlValue]): string {
  if (kind === 'number') return comparedNumbers(operator, [a, b]);
  return `(${a[kind]} ${operator} ${b[kind]})`;
}

/** How each operator compares different doubles, and its result for equal ones without more digits. */
const ofDoubles: Record<ComparisonOperator, { decides: string; equal: 0 | 1 }> = {
  '=': { decides: '', equal: 1 },
  '<': { decides: '<', equal: 0 },
  '<=': { decides: '<', equal: 1 },
  '>': { decides: '>', equal: 0 },
  '>=': { decides: '>', equal: 1 },
};

/**
 * Returns SQL that compares two numbers: exactly if computations support both, otherwise as nearest doubles. Stored
 * numbers are compared as doubles first: further digits matter only between equal doubles.
 */
function comparedNumbers(operator: ComparisonOperator, [a, b]: [SqlValue, SqlValue]): string {
  if (a.integer !== undefined && b.integer !== undefined) return `(${a.integer} ${operator} ${b.integer})`;
  const [doubles, decimals] = [
    `${a.number} ${operator} ${b.number}`,
    `${a.decimal} ${operator} ${b.decimal}`,
  ];
  if (a.isComputed || b.isComputed) return `ifNull(${decimals}, ${doubles})`;
  const { decides, equal } = ofDoubles[operator];
  const same = `${a.number} = ${b.number} AND ifNull(${decimals}, ${equal})`;
  return decides === '' ? `(${same})` : `(${a.number} ${decides} ${b.number} OR ${same})`;
}
