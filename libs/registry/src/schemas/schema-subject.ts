import type { SchemaCompatibility } from '#json-schema/modes';

/**
 * What happens to an event that does not match its schema: `enforce` rejects it, `warn` stores and counts it, `off`
 * does not validate it.
 */
export const schemaModes = ['enforce', 'warn', 'off'] as const;
/** What happens to an event that does not match its schema. */
export type SchemaEnforcementMode = (typeof schemaModes)[number];

/** One version of a schema. A version never changes. */
export interface SchemaVersion {
  /** Number of the version within its subject: 1, 2, 3 … in the order of creation. */
  version: number;
  /** The JSON Schema (2020-12) as parsed JSON. */
  schema: unknown;
  /** Time of creation, as RFC 3339. */
  created_at: string;
}

/** The schema of one event type in one stream: all its versions, and its mode and compatibility. */
export interface SchemaSubject {
  stream: string;
  event_type: string;
  compatibility: SchemaCompatibility;
  mode: SchemaEnforcementMode;
  /**
   * True if the schema is no longer enforced. The versions of a retired schema remain, because events refer to them; a
   * new version continues their numbers.
   */
  retired: boolean;
  /** At least one version, the oldest first. */
  versions: readonly SchemaVersion[];
}

/** Returns the name under which a schema subject is stored in the definitions: `<stream>/<event type>`. */
export function schemaName(stream: string, eventType: string): string {
  return `${stream}/${eventType}`;
}
