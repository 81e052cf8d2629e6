import { UntranslatableExpressionError } from './untranslatable.js';
import { equality } from './comparison.js';
import { decimalOfText } from './numbers.js';
import { exactJson, json, valueOf, type JsonPlace, type Value } from './value.js';

/** `x in [a, b]`: equal to one of them; an error where one of them is. */
export function inList(x: Value, items: readonly Value[], at: number): Value {
  const exist = [x, ...items].map(({ exists }) => exists).filter((exists) => exists !== '1');
  const parts = items.map((item) => equality(x, item, at).bool as string);
  const isOne = parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
  return valueOf('bool', exist.length === 0 ? isOne : `if(${exist.join(' AND ')}, ${isOne}, NULL)`, at);
}

/**
 * `"x" in event.data.list` and `"key" in event.data.object`: an element of the list, a name of the object, else an error. The left side is written out, so that it is of one kind.
 */
export function inContainer(x: Value, place: JsonPlace, at: number): Value {
  const type = json('JSONType', place);
  const elements = [json('JSONExtractArrayRaw', place), exactJson('JSONExtractArrayRaw', place)].join(', ');
  const isElement = `arrayExists((element, digits) -> ${elementIs(x)}, ${elements})`;
  const isName = x.string === undefined ? 'false' : json('JSONHas', place, [x.string]);
  return valueOf('bool', `multiIf(${type} = 'Array', ${isElement}, ${type} = 'Object', ${isName}, NULL)`, at);
}

function elementIs(x: Value): string {
  const type = 'JSONType(element)';
  if (x.string !== undefined) return `${type} = 'String' AND JSONExtractString(element) = ${x.string}`;
  if (x.bool !== undefined) return `${type} = 'Bool' AND JSONExtractBool(element) = ${x.bool}`;
  if (x.number !== undefined) {
    const decimal = decimalOfText(`trim(BOTH '"' FROM digits)`);
    const isSame = `JSONExtractFloat(element) = ${x.number} AND ifNull(${decimal} = ${x.decimal}, 1)`;
    return `${type} IN ('Int64', 'UInt64', 'Double') AND ${isSame}`;
  }
  throw new UntranslatableExpressionError(
    'Only a string, a number or a bool can be looked for in a list.',
    x.at,
  );
}
