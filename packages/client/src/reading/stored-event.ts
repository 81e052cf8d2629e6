import type { JsonObject } from '../types/json.js';
import { exactReader } from './exact-reader.js';

/** A stored event as the client reads it. */
export interface StoredEvent<Data = JsonObject> {
  readonly event_id: string;
  readonly stream: string;
  readonly event_type: string;
  readonly entity_id: string | null;
  /** The number of the event within its entity, from 1. */
  readonly version: number | null;
  /** The time when the event happened. */
  readonly timestamp: string;
  /** The time when the event was written. */
  readonly ingested_at: string;
  /** The data, parsed on first access. Numbers become 64-bit floating point: `dataText` has them exactly. */
  readonly data: Data;
  /** The data as it was sent: JSON text with every digit. */
  readonly dataText: string;
  readonly metadata: JsonObject;
  readonly metadataText: string;
  /** The schema version that the event was checked with and conforms to. */
  readonly schema_version: number | null;
  readonly partition: number;
  readonly offset: number;
}

/** Parses an event from its JSON text. */
export const readEvent: <Data>(text: string) => StoredEvent<Data> = exactReader('data', 'metadata');
