import { createHash } from 'node:crypto';
import { encodeRecord, limits } from '#event';
import { formatTime, parseTime } from '#json';
import type { DefinitionChangeRecord } from '../resources/definition-change-record.js';
import type { Actor } from '../resources/resource-store.js';

/**
 * What an audit event reports: a changed definition or an operation such as an erasure, with its state before and
 * after, without secrets.
 */
export interface AuditEventContent {
  /** Event type, such as `key.created` or `entity.erased`. */
  event_type: string;
  /** Kind of the changed thing: `stream`, `schema`, `key`, `entity` … */
  kind: string;
  /** Name of the changed definition or entity. */
  name: string;
  before?: unknown;
  after?: unknown;
}

/** An audit entry with the id, time and revision of its event. */
export interface AuditEvent extends AuditEventContent {
  /**
   * Id of the audit event. For the change of a definition, it is the UUID of the definition's record, so that an event
   * that is written twice is recognised as a duplicate.
   */
  event_id: string;
  /** Time of the change or operation, as RFC 3339. */
  changed_at: string;
  /** Revision of the definition after the change; null if the event does not report the change of a definition. */
  revision: number | null;
  /**
   * The revision that this change replaces, with its actor. These members are the only trace of a change whose own
   * audit event could not be written.
   */
  previous?: Pick<DefinitionChangeRecord, 'revision' | 'changed_at' | 'changed_by'>;
}

/** Returns key and value of the Kafka record of an audit event, in the format of every stream's events. */
export function auditRecord(change: AuditEvent, actor: Actor): { key: string; value: string } {
  const { event_type, event_id, kind, name } = change;
  const entity_id = entityOf(kind, name);
  const now = Date.now() * 1000;
  const value = encodeRecord({
    event_id,
    event_type,
    entity_id,
    timestamp: parseTime(change.changed_at) ?? now,
    ingested_at: now,
    schema_version: null,
    metadata: JSON.stringify({
      key_id: actor.key_id,
      port: actor.port,
      request_id: actor.request_id,
      revision: change.revision,
    }),
    data: dataOf(change),
  });
  return { key: entity_id, value };
}

function dataOf({ event_type, kind, name, before, after, previous }: AuditEvent): string {
  const action = event_type.slice(event_type.lastIndexOf('.') + 1);
  const more = previous && { previous };
  const data = { action, kind, name, before: before ?? null, after: after ?? null, ...more };
  const json = JSON.stringify(data);
  const bytes = Buffer.byteLength(json);
  if (bytes <= limits.eventBytes / 2) return json;
  return JSON.stringify({ ...data, before: null, after: null, too_large_bytes: bytes });
}

const hashCharacters = 32;

/**
 * Returns the entity id `<kind>:<name>`, so that the changes of one definition are the events of one entity. A long
 * name is cut and ends in a hash.
 */
function entityOf(kind: string, name: string): string {
  const characters = [...`${kind}:${name}`];
  if (characters.length <= limits.entityIdCharacters) return characters.join('');
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashCharacters);
  return `${characters.slice(0, limits.entityIdCharacters - hashCharacters - 1).join('')}~${hash}`;
}

/** Returns the current time as RFC 3339 text, as in definitions and events. */
export function timeNow(): string {
  return formatTime(Date.now() * 1000);
}
