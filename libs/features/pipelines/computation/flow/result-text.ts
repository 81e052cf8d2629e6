import { limits } from '#event';
import { EvaluationError, parseExactJson, toJson, type CelValue } from '#cel';
import { expressionDetail } from '#dataflow';
import { OperatorError } from './step.js';

const most = limits.eventBytes;
const mostBytesPerCharacter = 3;

/** Returns a value as JSON text for an event's data, with all digits. @throws OperatorError if it is too large */
export function valueText(value: CelValue, pointer: string): string {
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  try {
    const text = toJson(value, { maxLength: most });
    if (text !== undefined) return text;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new OperatorError(pointer, expressionDetail(error));
  }
  throw tooLarge(pointer);
}

/** Returns the new data of an event. @throws OperatorError if it is larger than an event may be */
export function checkedData(text: string, pointer: string): string {
  const isSmall = text.length * mostBytesPerCharacter <= most;
  if (isSmall || Buffer.byteLength(text) <= most) return text;
  throw tooLarge(pointer);
}

function tooLarge(pointer: string): OperatorError {
  return new OperatorError(pointer, `The result is larger than ${most} bytes, the limit of an event.`);
}

/**
 * Returns the JSON text of an object with one more member, which replaces one of the same name.
 * @param object its JSON text, and a function that returns its value, which is called if the text may have the member
 */
export function withMember(
  object: { text: string; value: () => CelValue },
  name: string,
  memberText: string,
): string {
  const { text } = object;
  const quoted = JSON.stringify(name);
  const member = `${quoted}:${memberText}`;
  if (text.includes(quoted) || text.includes('\\')) {
    const value = object.value() as { readonly [name: string]: CelValue };
    if (Object.hasOwn(value, name)) {
      const others = Object.keys(value)
        .filter((other) => other !== name)
        .map(
          (other) => `${JSON.stringify(other)}:${toJson(value[other] as CelValue, { maxLength: Infinity })}`,
        );
      return `{${[...others, member].join(',')}}`;
    }
  }
  const open = text.slice(0, text.lastIndexOf('}'));
  return open.trim() === '{' ? `{${member}}` : `${open},${member}}`;
}

/**
 * Returns metadata with more members, all as JSON text. Numbers keep their exact values.
 * @param members at least one, such as `"a":1,"b":2`
 * @param own matches metadata that may have one of the members already; they are replaced
 */
export function metadataWith(metadata: string, members: string, own: RegExp): string {
  if (metadata === '{}') return `{${members}}`;
  const before = metadata.trim();
  if (!own.test(before))
    return before.slice(0, -1).trim() === '{' ? `{${members}}` : `${before.slice(0, -1)},${members}}`;
  const added = JSON.parse(`{${members}}`) as object;
  const kept = Object.entries(parseExactJson(before) as Record<string, CelValue>)
    .filter(([name]) => !Object.hasOwn(added, name))
    .map(([name, value]) => `${JSON.stringify(name)}:${toJson(value, { maxLength: Infinity })}`);
  return `{${[...kept, members].join(',')}}`;
}
