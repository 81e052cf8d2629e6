import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import { encodeRecord, limits, type StreamId, type TopicAndGroupNames } from '#event';
import { formatTime, parseTime } from '#json';
import { isRetriableLogError, ProducerBufferFullError, type Producer } from '#kafka';
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

/** The audit event of a changed definition. Its id, time and revision are those of the definition's record. */
interface AuditEvent extends AuditEventContent {
  /** A UUID. The event of a change that is written twice is thus recognised as a duplicate. */
  event_id: string;
  /** Time of the change or operation, as RFC 3339. */
  changed_at: string;
  /** Revision of the definition after the change; null if the event does not report the change of a definition. */
  revision: number | null;
  /**
   * The revision that this change replaces, with its actor. These members are the only trace of a change whose own
   * audit event could not be written.
   */
  previous?: Pick<DefinitionChangeRecord, 'revision' | 'changed_at' | 'changed_by'> | undefined;
}

/** Milliseconds to wait before the first and before the second retry of an append to the audit stream. */
const waits = [100, 400];
/** Milliseconds after which a failed append to the audit stream is not retried. */
const tryingMs = 15_000;

/** Appends events to the stream `tributary.audit`. */
export class AuditWriter {
  /** @param auditStream resolves with the id of the stream `tributary.audit` when that stream exists */
  constructor(
    private readonly names: TopicAndGroupNames,
    private readonly writer: { producer(): Promise<Producer> },
    private readonly auditStream: () => Promise<StreamId>,
  ) {}

  /** Appends an event that is not a change of a definition. @throws ProblemError log_unavailable */
  note(content: AuditEventContent, actor: Actor): Promise<void> {
    const event = { ...content, event_id: randomUUID(), changed_at: timeNow(), revision: null };
    return this.append(event, actor, 'The operation is complete');
  }

  /** Appends the event of a change that is in effect. @throws ProblemError log_unavailable */
  changed(change: AuditEvent, actor: Actor): Promise<void> {
    return this.append(change, actor, 'The change is in effect');
  }

  private async append(event: AuditEvent, actor: Actor, done: string): Promise<void> {
    const began = Date.now();
    for (let tries = 0; ; tries++) {
      try {
        const topic = this.names.ofStream(await this.auditStream());
        const producer = await this.writer.producer();
        await producer.append([{ topic, ...auditRecord(event, actor) }]);
        return;
      } catch (error) {
        const wait = waits[tries];
        if (wait === undefined || !isRetriable(error) || Date.now() - began > tryingMs) {
          const detail = `${done}, but it is missing from the audit stream: Kafka could not write the event. Check before you repeat it.`;
          throw new ProblemError('log_unavailable', detail, { cause: error, retryAfterSeconds: 2 });
        }
        await sleep(wait);
      }
    }
  }
}

function isRetriable(error: unknown): boolean {
  if (error instanceof ProblemError) return error.retryable;
  return error instanceof ProducerBufferFullError || isRetriableLogError(error);
}

/** Returns key and value of the Kafka record of an audit event, in the format of every stream's events. */
function auditRecord(event: AuditEvent, actor: Actor): { key: string; value: string } {
  const { event_type, event_id, kind, name, changed_at, revision } = event;
  const { key_id, port, request_id } = actor;
  const entity_id = entityOf(kind, name);
  const now = Date.now() * 1000;
  const value = encodeRecord({
    event_id,
    event_type,
    entity_id,
    timestamp: parseTime(changed_at) ?? now,
    ingested_at: now,
    schema_version: null,
    metadata: JSON.stringify({ key_id, port, request_id, revision }),
    data: dataOf(event),
  });
  return { key: entity_id, value };
}

function dataOf({ event_type, kind, name, before, after, previous }: AuditEvent): string {
  const action = event_type.slice(event_type.lastIndexOf('.') + 1);
  const data = { action, kind, name, before: before ?? null, after: after ?? null, previous };
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
