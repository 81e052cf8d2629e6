import { IsBoolean, IsIn, IsString, Matches } from 'class-validator';
import { streamNamePattern } from '#event';
import { compatibilities, type SchemaCompatibility } from '#json-schema/modes';
import { definitionLimitReached } from '../changes/definition-problems.js';
import { readDefinition } from '../resources/read-definition.js';
import { IsCount, IsPresent, IsTime } from '../resources/record-members.js';
import { UnreadableDefinitionError, type ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Schemas, named by `schemaName(stream, event_type)`. */
    schemas: ResourceStore<SchemaSubject>;
  }
}

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

const mostSubjects = 10_000;
const mostVersions = 1_000;

/**
 * Rules of schemas. Each version of a schema has its own record, in the slot of its number; the records of all versions
 * remain. Mode, compatibility and retirement are part of the latest version's record: changing them replaces that
 * record.
 */
export const schemaKind: ResourceKind<SchemaSubject, SchemaRecordContent> = {
  kind: 'schema',
  store: 'schemas',
  most: mostSubjects,
  full: () => definitionLimitReached(`The limit of ${mostSubjects} event types with a schema is reached.`),
  nameOf: ({ stream, event_type }) => schemaName(stream, event_type),
  identityOf: (name) => name,
  write: ({ versions, ...subject }) => {
    const latest = versions.at(-1);
    if (!latest) throw new RangeError('a subject without a version');
    if (latest.version > mostVersions)
      throw definitionLimitReached(`A schema has at most ${mostVersions} versions.`);
    return { slot: String(latest.version), body: { ...subject, ...latest } };
  },
  read: (identity, { slot, body }) => {
    const content = readDefinition(SchemaRecordContent, body);
    if (schemaName(content.stream, content.event_type) !== identity)
      throw new UnreadableDefinitionError('stream and event_type differ from the record key');
    if (String(content.version) !== slot)
      throw new UnreadableDefinitionError('version differs from the record key');
    return content;
  },
  compose: (parts) => {
    const { stream, event_type, compatibility, mode, retired } = parts.at(-1) as SchemaRecordContent;
    const versions = parts
      .map(({ version, schema, created_at }) => ({ version, schema, created_at }))
      .sort((a, b) => a.version - b.version);
    return { stream, event_type, compatibility, mode, retired, versions };
  },
  eventType: (before, after) => {
    if (!after) return 'schema.removed';
    if (after.retired && !before?.retired) return 'schema.retired';
    return before && before.versions.length === after.versions.length ? 'schema.changed' : 'schema.created';
  },
  redact: ({ versions, ...subject }) => ({ ...subject, ...versions.at(-1), versions: versions.length }),
};
