import { UntranslatableExpressionError } from '../../errors.js';
import { json, valueOf, type JsonPlace, type Value } from './value.js';
import { equality } from './comparison.js';

/** `x in [a, b]`: equal to one of them. */
export function inList(x: Value, items: readonly Value[], at: number): Value {
  if (items.length === 0) return valueOf('bool', 'false', at);
  const parts = items.map((item) => equality(x, item, at).bool as string);
  return valueOf('bool', `(${parts.join(' OR ')})`, at);
}

/**
 * `"x" in event.data.list` and `"key" in event.data.object`: an element of the list, a member of the object, else an
 * error. The left side is written out, so that it is of one kind.
 */
export function inContainer(x: Value, place: JsonPlace, at: number): Value {
  const type = json('JSONType', place);
  const elements = json('JSONExtractArrayRaw', place);
  const cases = [`${type} = 'Array'`, `arrayExists(element -> ${elementIs(x)}, ${elements})`];
  if (x.string !== undefined) cases.push(`${type} = 'Object'`, json('JSONHas', place, [x.string]));
  return valueOf('bool', `multiIf(${cases.join(', ')}, NULL)`, at);
}

function elementIs(x: Value): string {
  const type = 'JSONType(element)';
  if (x.string !== undefined) return `${type} = 'String' AND JSONExtractString(element) = ${x.string}`;
  if (x.bool !== undefined) return `${type} = 'Bool' AND JSONExtractBool(element) = ${x.bool}`;
  if (x.number !== undefined && x.integer !== undefined) {
    const exact =
      `multiIf(${type} = 'Int64', toInt128(JSONExtractInt(element)) = ${x.integer}, ` +
      `${type} = 'UInt64', toInt128(JSONExtractUInt(element)) = ${x.integer}, `;
    return `${exact}${type} = 'Double' AND JSONExtractFloat(element) = ${x.number})`;
  }
  if (x.number !== undefined) {
    return `${type} IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(element) = ${x.number}`;
  }
  throw new UntranslatableExpressionError(
    'Only a string, a number or a bool can be looked for in a list.',
    x.at,
  );
}
