import { problems, ProblemError, type InputError } from '#api';
import type { Written } from './event-writer.js';
import { notWritten, Rejection } from './rejection.js';

/** Errors that the refusal of a whole batch lists; the rest is only counted. */
const mostErrors = 100;
/** Errors that the answer to a batch lists of all its events together; then each event shows its first one only. */
const mostListed = 1000;

/** 201 when all events were taken, 207 when some were, 200 when the others are kept. */
export interface BatchAnswer {
  status: 200 | 201 | 207;
  /** JSON text. */
  body: string;
}

/**
 * The answer to a batch, in request order.
 * @throws ProblemError invalid_request when nothing was written; with the errors of the first events
 */
export function batchAnswer(
  results: readonly (Written | Rejection)[],
  { isLenient = false } = {},
): BatchAnswer {
  let accepted = 0;
  let kept = 0;
  let listed = 0;
  let events = '';
  for (const result of results) {
    if (events !== '') events += ',';
    if (result instanceof Rejection) {
      const errors = listed < mostListed ? result.errors : result.errors.slice(0, 1);
      listed += errors.length;
      events += errorItem(result, errors);
      if (result.kept) kept++;
    } else {
      accepted++;
      const { event, position } = result;
      events += `{"event_id":"${event.event_id}","partition":${position.partition},"offset":${position.offset}}`;
    }
  }
  if (accepted + kept === 0) throw allRejected(results as Rejection[]);
  const rejected = results.length - accepted;
  return {
    status: isLenient ? 200 : rejected === 0 ? 201 : 207,
    body: `{"accepted":${accepted},"rejected":${rejected},"events":[${events}]}`,
  };
}

function errorItem({ code, detail, kept }: Rejection, errors: readonly InputError[]): string {
  const status = problems[code].status;
  return JSON.stringify({ error: { code, status, detail, ...(errors.length > 0 && { errors }) }, ...kept });
}

function allRejected(results: readonly Rejection[]): ProblemError {
  const errors: InputError[] = [];
  let total = 0;
  results.forEach((result, i) => {
    const found = errorsOf(result, i);
    total += found.length;
    errors.push(...found.slice(0, mostErrors - errors.length));
  });
  const more = total > mostErrors ? ` The first ${mostErrors} of ${total} errors are listed.` : '';
  const written =
    results.length === 1
      ? 'The event of the batch was not written.'
      : `None of the ${results.length} events was written.`;
  return new ProblemError('invalid_request', `${written}${more}`, { errors });
}

function errorsOf(rejection: Rejection, index: number): InputError[] {
  const { code, detail, errors } = rejection;
  if (rejection === notWritten) return [];
  if (errors.length > 0) return [...errors];
  return [{ pointer: `/events/${index}`, detail: `${code}: ${detail}` }];
}
