import type { BinaryOperator } from '#contracts';
import { UntranslatableExpressionError } from '../../errors.js';
import { json, kinds, valueOf, type Kind, type Value } from './value.js';

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
  const [x, y] = [a.container, b.container];
  if (x && y) conditions.push(`NOT (${isContainer(x)} AND ${isContainer(y)})`);
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

/** Numbers are compared as integers where both are whole: a Float64 is not exact past 2^53. */
function compared(kind: Kind, operator: string, [a, b]: [Value, Value]): string {
  const plain = `(${a[kind]} ${operator} ${b[kind]})`;
  if (kind !== 'number' || a.integer === undefined || b.integer === undefined) return plain;
  return `ifNull((${a.integer} ${operator} ${b.integer}), ${plain})`;
}

function isContainer(place: NonNullable<Value['container']>): string {
  return `${json('JSONType', place)} IN ('Array', 'Object')`;
}
