import { problemError, isTransient } from '../errors/error-of.js';
import { type ProblemError, InvalidAnswerError } from '../errors/tributary-error.js';
import type { HttpAnswer } from '../http/http-client.js';
import { parseJson } from '../json/json-text.js';
import type { BatchWriteResult, RejectedEvent, WrittenPosition, ProblemCode } from '../types/index.js';
import type { PendingEvent } from './pending-event.js';

/** Settles the promise of an event that was sent alone, with the position in the answer. */
export function settleOne(event: PendingEvent, { text }: HttpAnswer): void {
  event.resolve(positionIn(parseJson(text)));
}

/** Returns the warnings of an answer, such as of a stream that was created although its name may be misspelt. */
export function warningsIn({ text }: HttpAnswer): string[] {
  // Most answers have none, and are parsed only once.
  if (!text.includes('"warnings":')) return [];
  const { warnings = [] } = parseJson<{ warnings?: unknown[] } | null>(text) ?? {};
  return warnings.filter((warning) => typeof warning === 'string');
}

/** Settles each event with its result in the answer. Returns the error of the events that may be sent again. */
export function settleBatch(events: readonly PendingEvent[], { text, requestId }: HttpAnswer): unknown {
  const results = parseJson<BatchWriteResult | null>(text)?.events;
  if (!Array.isArray(results) || results.length !== events.length)
    throw new InvalidAnswerError('The answer does not have a result for each event.');
  for (const result of results) if (!isRejected(result)) positionIn(result);
  let transient: unknown;
  events.forEach((event, index) => {
    const result = results[index]!;
    if (!isRejected(result)) return event.resolve(result);
    const error = problemOf(result, { index, requestId });
    if (isTransient(error)) transient = error;
    else event.reject(error);
  });
  return transient;
}

/** Returns the position. @throws InvalidAnswerError if there is none: a proxy may answer 200 to anything */
function positionIn(result: unknown): WrittenPosition {
  const { partition, offset } = (result ?? {}) as Partial<WrittenPosition>;
  if (!Number.isSafeInteger(partition) || !Number.isSafeInteger(offset))
    throw new InvalidAnswerError('The answer has no position of the event.');
  return result as WrittenPosition;
}

function isRejected(result: unknown): result is RejectedEvent {
  const { error } = (result ?? {}) as Partial<RejectedEvent>;
  return typeof error === 'object';
}

/** Returns the problem of one event as if it had been sent alone: its JSON pointers are relative to the event. */
function problemOf({ error }: RejectedEvent, place: { index: number; requestId: string }): ProblemError {
  const { code, status, detail, errors, ...more } = error;
  const prefix = `/events/${place.index}`;
  return problemError({
    ...{ type: `urn:tributary:problem:${code}`, title: code.replaceAll('_', ' ') },
    ...{ status, detail, code: code as ProblemCode, request_id: place.requestId, ...more },
    errors: errors?.map(({ pointer, detail }) => ({
      pointer: pointer.startsWith(prefix) ? pointer.slice(prefix.length) : pointer,
      detail,
    })),
  });
}
