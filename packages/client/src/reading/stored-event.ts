import type { JsonObject } from '../types/json.js';
import { exactReader } from './exact-reader.js';

/** An event as it was read. */
export interface StoredEvent<Data = JsonObject> {
  readonly event_id: string;
  readonly stream: string;
  readonly event_type: string;
  readonly entity_id: string | null;
  /** Counts the events of the entity, from 1 on. */
  readonly version: number | null;
  /** When it happened. */
  readonly timestamp: string;
  /** When it was written. */
  readonly ingested_at: string;
  /** Parsed when it is first asked for. Numbers become 64-bit floating point: `dataText` has them exactly. */
  readonly data: Data;
  /** The data as it was sent: JSON text with every digit. */
  readonly dataText: string;
  readonly metadata: JsonObject;
  readonly metadataText: string;
  /** The version of the schema that it fits. */
  readonly schema_version: number | null;
  readonly partition: number;
  readonly offset: number;
}

/** Reads an event from its JSON text. */
export const readEvent: <Data>(text: string) => StoredEvent<Data> = exactReader('data', 'metadata');
