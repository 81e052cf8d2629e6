import { createHash } from 'node:crypto';
import { encodeRecord, formatTime, limits, parseTime } from '#event';
import type { DefinitionRecord } from '../kind/definition-record.js';
import type { Actor } from '../kind/kind.js';

/** What the audit is told. `before` and `after` hold no secrets. */
export interface AuditEntry {
  /** Such as `key.created` or `entity.erased`. */
  event_type: string;
  /** `stream`, `schema`, `key`, `entity` … */
  kind: string;
  /** Of what was changed, in its kind. */
  name: string;
  before?: unknown;
  after?: unknown;
}

/** An entry with what its event says beside it. */
export interface AuditedChange extends AuditEntry {
  /** That of the definition's own record, so that writing it twice makes one event of it. */
  event_id: string;
  /** RFC 3339. */
  changed_at: string;
  /** Of the definition; null for what is no change of one. */
  revision: number | null;
  /** Who made what is replaced: when the audit lacks that change, it is to be seen here. */
  previous?: Pick<DefinitionRecord, 'revision' | 'changed_at' | 'changed_by'>;
}

/** The record of an audit event: its key and its value, as in every stream's topic. */
export function auditRecord(change: AuditedChange, actor: Actor): { key: string; value: string } {
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

function dataOf({ event_type, kind, name, before, after, previous }: AuditedChange): string {
  const action = event_type.slice(event_type.lastIndexOf('.') + 1);
  const more = previous && { previous };
  const data = { action, kind, name, before: before ?? null, after: after ?? null, ...more };
  const json = JSON.stringify(data);
  const bytes = Buffer.byteLength(json);
  if (bytes <= limits.eventBytes / 2) return json;
  return JSON.stringify({ ...data, before: null, after: null, too_large_bytes: bytes });
}

const hashCharacters = 32;

/** `<kind>:<name>`, so that the changes of one definition are the events of one entity; long names end in a hash. */
function entityOf(kind: string, name: string): string {
  const characters = [...`${kind}:${name}`];
  if (characters.length <= limits.entityIdCharacters) return characters.join('');
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashCharacters);
  return `${characters.slice(0, limits.entityIdCharacters - hashCharacters - 1).join('')}~${hash}`;
}

/** Now, as definitions and events write it. */
export function timeNow(): string {
  return formatTime(Date.now() * 1000);
}
