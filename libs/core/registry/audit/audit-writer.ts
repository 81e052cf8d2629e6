import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import type { StreamId, TopicAndGroupNames } from '#event';
import { isRetriableLogError, ProducerBufferFullError, type Producer } from '#kafka';
import type { Actor } from '../resources/resource-store.js';
import { auditRecord, timeNow, type AuditEvent, type AuditEventContent } from './audit-event.js';

/** Producer, topic names and stream lookup of an `AuditWriter`. */
interface AuditWriterOptions {
  names: TopicAndGroupNames;
  producer(): Promise<Producer>;
  /** Resolves with the id of the stream `tributary.audit` when that stream exists. */
  stream(): Promise<StreamId>;
}

/** Milliseconds to wait before the first and before the second retry of an append to the audit stream. */
const waits = [100, 400];
/** Milliseconds after which a failed append to the audit stream is not retried. */
const tryingMs = 15_000;

/** Appends events to the stream `tributary.audit`. */
export class AuditWriter {
  constructor(private readonly options: AuditWriterOptions) {}

  /** Appends an event that is not a change of a definition. @throws ProblemError log_unavailable */
  async note(entry: AuditEventContent, actor: Actor): Promise<void> {
    const times = { event_id: randomUUID(), changed_at: timeNow(), revision: null };
    await this.append({ ...entry, ...times }, actor, 'The operation is complete');
  }

  /** Appends the event of a change that is in effect. @throws ProblemError log_unavailable */
  async changed(change: AuditEvent, actor: Actor): Promise<void> {
    await this.append(change, actor, 'The change is in effect');
  }

  private async append(change: AuditEvent, actor: Actor, done: string): Promise<void> {
    const began = Date.now();
    for (let tries = 0; ; tries++) {
      try {
        const topic = this.options.names.ofStream(await this.options.stream());
        const producer = await this.options.producer();
        await producer.append([{ topic, ...auditRecord(change, actor) }]);
        return;
      } catch (error) {
        const wait = waits[tries];
        if (wait === undefined || !mayReturn(error) || Date.now() - began > tryingMs)
          throw lacks(done, error);
        await sleep(wait);
      }
    }
  }
}

function mayReturn(error: unknown): boolean {
  if (error instanceof ProblemError) return error.retryable;
  return error instanceof ProducerBufferFullError || isRetriableLogError(error);
}

function lacks(done: string, cause: unknown): ProblemError {
  const detail = `${done}, but it is missing from the audit stream: Kafka could not write the event. Check before you repeat it.`;
  return new ProblemError('log_unavailable', detail, { cause, retryAfterSeconds: 2 });
}
