import type { HttpAnswer } from '../http-client.js';
import { sentEventToJson, type SentEvent } from '../sent-event.js';
import type { AttemptAnswer } from './attempt.js';

/** An event with the version of its entity that the client expects; null for an unconditional event. */
export type ConditionalEvent = SentEvent & { entity_id: string; expected: number | null };

/** Sends the body of a request to a write port, and resolves with the answer. @throws if there is no answer */
type WriteRequestSender = (path: string, body: string) => Promise<HttpAnswer>;

/**
 * How events are sent: as a single event, as a batch whose events are decided one by one, or as an atomic batch, whose
 * first event has the condition.
 */
export type WriteForm = 'single' | 'batch' | 'atomic';

/**
 * Sends events in one request, and resolves with the answer for each event. If the request has no answer, the outcome of
 * all its events is `unknown`.
 */
export async function sendConditional(
  post: WriteRequestSender,
  events: readonly ConditionalEvent[],
  { form }: { form: WriteForm },
): Promise<AttemptAnswer[]> {
  try {
    if (form === 'single') return [answerOf(await post('/api/v1/events', toJson(events[0]!)), events[0]!)];
    const isAtomic = form === 'atomic';
    const sent = events.map((event, i) => toJson(isAtomic && i > 0 ? { ...event, expected: null } : event));
    const body = `{"events":[${sent.join(',')}]}`;
    return answersOf(await post(`/api/v1/events/batch${isAtomic ? '?atomic=true' : ''}`, body), events);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
    return events.map(() => ({ outcome: 'unknown', reason }));
  }
}

function toJson(event: ConditionalEvent): string {
  const json = sentEventToJson(event);
  return event.expected === null ? json : `${json.slice(0, -1)},"expected_version":${event.expected}}`;
}

function answerOf(answer: HttpAnswer, event: ConditionalEvent): AttemptAnswer {
  if (answer.status === 201) return acceptedIn(answer.json(), event);
  return notAccepted(answer.status, answer.text, () => answer.json());
}

function answersOf(answer: HttpAnswer, events: readonly ConditionalEvent[]): AttemptAnswer[] {
  if (answer.status !== 201 && answer.status !== 207) return events.map((event) => answerOf(answer, event));
  const items = answer.json<{ events: Record<string, unknown>[] }>().events;
  if (items.length !== events.length) throw new Error('A batch answer does not match its request');
  return events.map((event, i) => {
    const error = items[i]!.error as Record<string, unknown> | undefined;
    if (!error) return acceptedIn(items[i]!, event);
    return notAccepted(Number(error.status), JSON.stringify(error), () => error);
  });
}

function acceptedIn(answer: Record<string, unknown>, { expected }: ConditionalEvent): AttemptAnswer {
  const { partition, offset, version = null } = answer;
  const right = expected === null ? version === null : typeof version === 'number';
  if (typeof partition !== 'number' || typeof offset !== 'number' || !right)
    return { outcome: 'failed', reason: `201 without position and version: ${JSON.stringify(answer)}` };
  return { outcome: 'accepted', version: version as number | null, partition, offset };
}

function notAccepted(status: number, text: string, problem: () => Record<string, unknown>): AttemptAnswer {
  const reason = `${status} ${text.slice(0, 300)}`;
  if (status === 412) {
    const { code, current_version: current } = problem();
    if (code === 'version_conflict' && typeof current === 'number') return { outcome: 'refused', current };
  }
  const certain = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { outcome: certain ? 'failed' : 'unknown', reason };
}
