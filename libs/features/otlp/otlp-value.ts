import { anyValueFields, keyValueFields, valuesFields } from './message-fields.js';
import type { MessageReader } from './message-reader.js';
import { mostLevels, tooDeep } from './otlp-request-errors.js';

/** OTLP attributes: their names and values. If a name occurs twice, the last value counts. */
export type OtlpAttributes = Map<string, OtlpValue>;

/**
 * An OTLP AnyValue. It can be read more than once: protobuf merges the occurrences of a field, so lists and maps are
 * continued, and any other value replaces the value before. An unknown kind of value is null, as the protocol requires
 * of older readers.
 */
export class OtlpValue {
  /** The JSON text of a scalar value, a list or a map. */
  private content: string | OtlpValue[] | OtlpAttributes = 'null';

  read(reader: MessageReader, level = 0): void {
    if (level > mostLevels) throw tooDeep();
    reader.message(anyValueFields, (field) => {
      if (field === 'arrayValue') {
        const list = Array.isArray(this.content) ? this.content : [];
        this.content = list;
        readList(reader, { list, level: level + 1 });
      } else if (field === 'kvlistValue') {
        const map: OtlpAttributes = this.content instanceof Map ? this.content : new Map<string, OtlpValue>();
        this.content = map;
        reader.message(valuesFields, () => readAttributes(reader, map, level + 1));
      } else if (field === 'stringValue') this.content = JSON.stringify(reader.text());
      else if (field === 'boolValue') this.content = String(reader.boolean());
      else if (field === 'intValue') this.content = String(reader.integer('int64'));
      else if (field === 'doubleValue') this.content = doubleText(reader.double());
      else this.content = JSON.stringify(reader.base64());
    });
  }

  /** Returns the value as JSON text. Bytes become Base64. */
  toJson(): string {
    const { content } = this;
    if (typeof content === 'string') return content;
    if (!Array.isArray(content)) return attributesText(content);
    return `[${content.map((value) => value.toJson()).join(',')}]`;
  }
}

/** Reads OTLP attributes, a repeated field of `KeyValue { string key = 1; AnyValue value = 2; }`. */
export function readAttributes(reader: MessageReader, into: OtlpAttributes, level = 0): void {
  reader.elements(() => {
    let key = '';
    const value = new OtlpValue();
    reader.message(keyValueFields, (field) => {
      if (field === 'key') key = reader.text();
      else value.read(reader, level);
    });
    into.set(key, value);
  });
}

/** Returns attributes as the JSON text of an object. */
export function attributesText(attributes: OtlpAttributes): string {
  return objectText(Array.from(attributes, ([name, value]) => [name, value.toJson()]));
}

/** A member of a JSON object: its name, and its value as JSON text. */
export type JsonMember = readonly [name: string, json: string];

export function objectText(members: readonly JsonMember[]): string {
  return `{${membersText(members)}}`;
}

export function membersText(members: readonly JsonMember[]): string {
  return members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
}

function readList(reader: MessageReader, { list, level }: { list: OtlpValue[]; level: number }): void {
  reader.message(valuesFields, () =>
    reader.elements(() => {
      const value = new OtlpValue();
      value.read(reader, level);
      list.push(value);
    }),
  );
}

/** Returns a double as JSON. NaN and infinities become texts, as in the JSON encoding of protobuf. */
function doubleText(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
}
