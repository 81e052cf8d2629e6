import { compatibilities, ProblemError } from '#api';
import { streamNamePattern } from '#event';
import { Fields } from '../kind/fields.js';
import { UnreadableDefinitionError, type KindRules } from '../kind/kind-rules.js';
import { schemaModes, schemaName, type SchemaSubject, type SchemaVersion } from './schema-subject.js';

const mostSubjects = 10_000;
const mostVersions = 1_000;

/** What one record holds: a version, and what holds for the whole subject since. */
export type SchemaPart = Omit<SchemaSubject, 'versions'> & SchemaVersion;

/**
 * Schemas: a record for each version, in the slot of its number. All of them stay. Mode, compatibility and retirement
 * stand beside the latest version: a change of them replaces its record.
 */
export const schemaRules: KindRules<SchemaSubject, SchemaPart> = {
  kind: 'schema',
  most: mostSubjects,
  full: () =>
    new ProblemError('definition_limit_reached', `There are schemas of ${mostSubjects} event types already.`),
  nameOf: ({ stream, event_type }) => schemaName(stream, event_type),
  identityOf: (name) => name,
  write: ({ versions, ...subject }) => {
    const latest = versions.at(-1);
    if (!latest) throw new RangeError('a subject without a version');
    if (latest.version > mostVersions)
      throw new ProblemError('definition_limit_reached', `A schema has ${mostVersions} versions at most.`);
    return { slot: String(latest.version), body: { ...subject, ...latest } };
  },
  read: (identity, { slot, body }) => {
    const fields = new Fields(body, 'the schema');
    const [stream, event_type] = [fields.text('stream'), fields.text('event_type')];
    if (!streamNamePattern.test(stream) || schemaName(stream, event_type) !== identity)
      throw new UnreadableDefinitionError('stream and event_type are not what the key says');
    if (String(fields.count('version')) !== slot)
      throw new UnreadableDefinitionError('version is not what the key says');
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
    const { stream, event_type, compatibility, mode, retired } = parts.at(-1) as SchemaPart;
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
