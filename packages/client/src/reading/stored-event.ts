import type { ApiSchemas } from '../types/api-schemas.js';
import type { JsonObject } from '../types/index.js';
import { exactReader } from './exact-reader.js';

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
