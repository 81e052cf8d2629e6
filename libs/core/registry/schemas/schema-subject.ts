import { IsBoolean, IsIn, IsString, Matches } from 'class-validator';
import { compatibilities, type SchemaCompatibility } from '#json-schema/modes';
import { streamNamePattern } from '#event';
import { IsCount, IsPresent, IsTime } from '../resources/record-members.js';

/**
 * What happens to an event that does not match its schema: `enforce` rejects it, `warn` stores and counts it, `off`
 * does not validate it.
 */
export const schemaModes = ['enforce', 'warn', 'off'] as const;
/** What happens to an event that does not match its schema. */
export type SchemaEnforcementMode = (typeof schemaModes)[number];

/** One version of a schema. A version never changes. */
export class SchemaVersion {
  /** Number of the version within its subject: 1, 2, 3 … in the order of creation. */
  @IsCount() version: number;
  /** The JSON Schema (2020-12) as parsed JSON. */
  @IsPresent() schema: unknown;
  /** Time of creation, as RFC 3339. */
  @IsTime() created_at: string;
}

/**
 * The content of one record of a schema subject: a schema version, and the settings of the whole subject from then on.
 */
export class SchemaRecordContent extends SchemaVersion {
  @Matches(streamNamePattern) stream: string;
  @IsString() event_type: string;
  @IsIn(compatibilities) compatibility: SchemaCompatibility;
  @IsIn(schemaModes) mode: SchemaEnforcementMode;
  /**
   * True if the schema is no longer enforced. The versions of a retired schema remain, because events refer to them; a
   * new version continues their numbers.
   */
  @IsBoolean() retired: boolean;
}

/** The schema of one event type in one stream: all its versions, and its mode and compatibility. */
export type SchemaSubject = Omit<SchemaRecordContent, keyof SchemaVersion> & {
  /** At least one version, the oldest first. */
  versions: readonly SchemaVersion[];
};

/** Returns the name under which a schema subject is stored in the definitions: `<stream>/<event type>`. */
export function schemaName(stream: string, eventType: string): string {
  return `${stream}/${eventType}`;
}
