import type { Compatibility } from '#api';

/** What happens to an event that does not fit: it is refused, stored and counted, or not looked at. */
export const schemaModes = ['enforce', 'warn', 'off'] as const;
export type SchemaMode = (typeof schemaModes)[number];

/** One version; it never changes. */
export interface SchemaVersion {
  /** 1, 2, 3 … by the order of the log. */
  version: number;
  /** The JSON Schema (2020-12) as parsed JSON. */
  schema: unknown;
  /** RFC 3339. */
  created_at: string;
}

/** All versions of the schema of one event type in one stream. */
export interface SchemaSubject {
  stream: string;
  event_type: string;
  compatibility: Compatibility;
  mode: SchemaMode;
  /** A retired schema is not enforced any more. Its versions stay, because events name them; a new one goes on from them. */
  retired: boolean;
  /** Oldest first; never empty. */
  versions: readonly SchemaVersion[];
}

/** The name of a subject in the definitions. */
export function schemaName(stream: string, eventType: string): string {
  return `${stream}/${eventType}`;
}
