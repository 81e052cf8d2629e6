/** A JSON value as `JSON.parse` returns it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** A JSON object as `JSON.parse` returns it. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** A time: RFC 3339 text, with microseconds if needed, or a `Date`. */
export type Time = string | Date;
