import { membersOf } from '../json/json-text.js';
import type { ApiSchemas } from '../types/api-schemas.js';
import type { JsonObject } from '../types/index.js';

type Read = Record<string, unknown>;

/**
 * Returns a parser of JSON objects that keeps the text of some members, because `JSON.parse` rounds numbers. For
 * example, `dataText` is the text as it was sent, and `data` is parsed on first access. `JSON.stringify` writes the
 * object without the texts.
 */
export function exactReader<T>(...names: string[]): (text: string) => T {
  const prototype = prototypeWith(names);
  return (text) => {
    const members = membersOf(text);
    const exact: Read = Object.create(prototype) as Read;
    for (const [name, value] of members)
      if (names.includes(name)) exact[`${name}Text`] = value;
      else exact[name] = JSON.parse(value);
    return exact as T;
  };
}

function prototypeWith(names: readonly string[]): object {
  const prototype = { toJSON: { value: toJson } };
  const parsed = names.map((name) => [name, { get: parsedOnce(name) }] as const);
  return Object.create(Object.prototype, { ...Object.fromEntries(parsed), ...prototype }) as object;

  function toJson(this: Read): Read {
    const texts = names.map((name) => `${name}Text`);
    const others = Object.entries(this).filter(([name]) => !texts.includes(name));
    const values = names.filter((name) => `${name}Text` in this).map((name) => [name, this[name]] as const);
    return Object.fromEntries([...others, ...values]);
  }
}

function parsedOnce(name: string) {
  return function (this: Read): unknown {
    const text = this[`${name}Text`];
    const value: unknown = text === undefined ? undefined : JSON.parse(text as string);
    Object.defineProperty(this, name, { value });
    return value;
  };
}

/** A stored event as the client reads it. It happened at its `timestamp` and was written at its `ingested_at`. */
export interface StoredEvent<Data = JsonObject> extends Readonly<
  Omit<ApiSchemas['EventAnswer'], 'data' | 'metadata'>
> {
  /** The data, parsed on first access. Numbers become 64-bit floating point: `dataText` has them exactly. */
  readonly data: Data;
  /** The data as it was sent: JSON text with every digit. */
  readonly dataText: string;
  readonly metadata: JsonObject;
  readonly metadataText: string;
}

/** Parses an event from its JSON text. */
export const readEvent: <Data>(text: string) => StoredEvent<Data> = exactReader('data', 'metadata');
