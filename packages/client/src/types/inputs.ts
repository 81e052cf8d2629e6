import type { ApiSchemas, Replace } from './api-schemas.js';

/** A JSON value as `JSON.parse` returns it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** A JSON object as `JSON.parse` returns it. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** A time: RFC 3339 text, with microseconds if needed, or a `Date`. */
export type Time = string | Date;

type Members = Replace<Omit<ApiSchemas['EventInput'], 'data'>, { timestamp?: Time | null }>;

/** The text of a JSON object that is sent unchanged, with numbers of any length. */
export interface JsonText {
  jsonText: string;
}

/** The data of an event is an object, or JSON text that is sent unchanged, with numbers of any length. */
export type NewData = { data: object } | { dataText: string };

/** An event to write. */
export type NewEvent = Members & NewData;

/** An event to append to an entity, which is named separately. */
export type NewEntityEvent = Omit<Members, 'stream' | 'entity_id' | 'expected_version'> & NewData;

/**
 * What happens to refused events of a request. `lenient` keeps them as dead letters and writes the rest. `strict`
 * does not keep them.
 */
export type RejectedEventHandling = 'lenient' | 'strict';

/** A CloudEvent of version 1.0 in the JSON format. Other members are extension attributes. */
export interface CloudEvent {
  specversion: string;
  id: string;
  source: string;
  type: string;
  [attribute: string]: unknown;
}

/**
 * Values of `{name:Type}` in a statement. A value that is not a number, boolean or null has ClickHouse's text form:
 * `2026-01-31 10:00:00` for a DateTime, `['a','b']` for an Array(String).
 */
export type SqlParameters = Readonly<Record<string, string | number | boolean | null>>;
