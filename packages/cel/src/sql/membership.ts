import { UntranslatableExpressionError } from '../errors.js';
import { equality } from './comparison.js';
import { decimalOfText } from './numbers.js';
import { exactJson, json, valueOf, type JsonLocation, type SqlValue } from './sql-value.js';

/** Translates `x in [a, b]`: true if x equals one of the items, NULL if x or any item is an error. */
export function inList(x: SqlValue, items: readonly SqlValue[], at: number): SqlValue {
  const exist = [x, ...items].map(({ exists }) => exists).filter((exists) => exists !== '1');
  const parts = items.map((item) => equality(x, item, at).bool as string);
  const isOne = parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
  return valueOf('bool', exist.length === 0 ? isOne : `if(${exist.join(' AND ')}, ${isOne}, NULL)`, at);
}

/**
 * Translates `"x" in event.data.list` (an element) and `"key" in event.data.object` (a name). Anything else on the
 * right is an error. The left side is a literal, so its kind is known.
 */
export function inContainer(x: SqlValue, path: JsonLocation, at: number): SqlValue {
  const type = json('JSONType', path);
  const elements = [json('JSONExtractArrayRaw', path), exactJson('JSONExtractArrayRaw', path)].join(', ');
  const isElement = `arrayExists((element, digits) -> ${elementIs(x)}, ${elements})`;
  const isName = x.string === undefined ? 'false' : json('JSONHas', path, [x.string]);
  return valueOf('bool', `multiIf(${type} = 'Array', ${isElement}, ${type} = 'Object', ${isName}, NULL)`, at);
}

function elementIs(x: SqlValue): string {
  const type = 'JSONType(element)';
  if (x.string !== undefined) return `${type} = 'String' AND JSONExtractString(element) = ${x.string}`;
  if (x.bool !== undefined) return `${type} = 'Bool' AND JSONExtractBool(element) = ${x.bool}`;
  if (x.number !== undefined) {
    const decimal = decimalOfText(`trim(BOTH '"' FROM digits)`);
    const isSame = `JSONExtractFloat(element) = ${x.number} AND ifNull(${decimal} = ${x.decimal}, 1)`;
    return `${type} IN ('Int64', 'UInt64', 'Double') AND ${isSame}`;
  }
  throw new UntranslatableExpressionError(
    'The left side of "in" must be a string, a number or a bool.',
    x.at,
  );
}
