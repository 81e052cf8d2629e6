import { compatibilities } from '#json-schema/modes';
import { ProblemError } from '#api';
import { streamNamePattern } from '#event';
import { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError, type ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { schemaModes, schemaName, type SchemaSubject, type SchemaVersion } from './schema-subject.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Schemas, named by `schemaName(stream, event_type)`. */
    schemas: ResourceStore<SchemaSubject>;
  }
}

const mostSubjects = 10_000;
const mostVersions = 1_000;

/**
 * The content of one record of a schema subject: a schema version, and the settings of the whole subject from then on.
 */
export type SchemaRecordContent = Omit<SchemaSubject, 'versions'> & SchemaVersion;

/**
 * Rules of schemas. Each version of a schema has its own record, in the slot of its number; the records of all versions
 * remain. Mode, compatibility and retirement are part of the latest version's record: changing them replaces that
 * record.
 */
export const schemaKind: ResourceKind<SchemaSubject, SchemaRecordContent> = {
  kind: 'schema',
  store: 'schemas',
  most: mostSubjects,
  full: () =>
    new ProblemError(
      'definition_limit_reached',
      `The limit of ${mostSubjects} event types with a schema is reached.`,
    ),
  nameOf: ({ stream, event_type }) => schemaName(stream, event_type),
  identityOf: (name) => name,
  write: ({ versions, ...subject }) => {
    const latest = versions.at(-1);
    if (!latest) throw new RangeError('a subject without a version');
    if (latest.version > mostVersions)
      throw new ProblemError('definition_limit_reached', `A schema has at most ${mostVersions} versions.`);
    return { slot: String(latest.version), body: { ...subject, ...latest } };
  },
  read: (identity, { slot, body }) => {
    const fields = new JsonObjectReader(body, 'the schema');
    const [stream, event_type] = [fields.text('stream'), fields.text('event_type')];
    if (!streamNamePattern.test(stream) || schemaName(stream, event_type) !== identity)
      throw new UnreadableDefinitionError('stream and event_type differ from the record key');
    if (String(fields.count('version')) !== slot)
      throw new UnreadableDefinitionError('version differs from the record key');
    return {
      stream,
      event_type,
      compatibility: fields.oneOf('compatibility', compatibilities),
      mode: fields.oneOf('mode', schemaModes),
      retired: fields.flag('retired'),
      version: Number(slot),
      schema: fields.any('schema'),
      created_at: fields.time('created_at'),
    };
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
