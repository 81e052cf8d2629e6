/** A JSON value as `JSON.parse` gives it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

export interface JsonObject {
  [name: string]: JsonValue;
}

/** A time: RFC 3339 in text, with microseconds if need be, or a `Date`. */
export type Time = string | Date;
