import type { BinaryOperator } from '../expression.js';
import { UntranslatableExpressionError } from './untranslatable.js';
import { kinds, valueOf, type Kind, type Value } from './value.js';

export type Ordering = Extract<BinaryOperator, '<' | '<=' | '>' | '>='>;

/**
 * `a == b`: whether both are of one kind and the same. Values of different kinds are not equal; an error on either
 * side is an error. Lists and objects are not compared with each other: that is an error too.
 */
export function equality(a: Value, b: Value, at: number): Value {
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

/** `a < b` and the like: an error unless both are numbers, strings, timestamps or durations. */
export function ordering(operator: Ordering, [a, b]: [Value, Value], at: number): Value {
  const shared = kinds.filter((kind) => kind !== 'bool' && a[kind] !== undefined && b[kind] !== undefined);
  if (shared.length === 0) {
    const hint =
      a.timestamp !== a.string || b.timestamp !== b.string ? ' A time is written timestamp("…").' : '';
    throw new UntranslatableExpressionError(`The two sides cannot be ordered.${hint}`, at);
  }
  const parts = shared.map((kind) => compared(kind, operator, [a, b]));
  return valueOf('bool', parts.length === 1 ? (parts[0] as string) : `coalesce(${parts.join(', ')})`, at);
}

type Operator = '=' | Ordering;

function compared(kind: Kind, operator: Operator, [a, b]: [Value, Value]): string {
  if (kind === 'number') return comparedNumbers(operator, [a, b]);
  return `(${a[kind]} ${operator} ${b[kind]})`;
}

/** What of the doubles decides where they differ; equal ones say `equal` where there is no more to compare. */
const ofDoubles: Record<Operator, { decides: string; equal: 0 | 1 }> = {
  '=': { decides: '', equal: 1 },
  '<': { decides: '<', equal: 0 },
  '<=': { decides: '<', equal: 1 },
  '>': { decides: '>', equal: 0 },
  '>=': { decides: '>', equal: 1 },
};

/**
 * Exact between numbers in the range that is computed with; another one counts as the double nearest to it. What has been
 * read is compared as doubles first: only where they are equal do more digits matter.
 */
function comparedNumbers(operator: Operator, [a, b]: [Value, Value]): string {
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
