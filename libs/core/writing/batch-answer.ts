import { problemDefinition, ProblemError, type InputProblem } from '#api';
import type { AppendedEvent } from './read-event.js';
import { notWritten, EventRejection } from './rejection.js';

/** Maximum number of errors that the answer lists if the whole batch is rejected; further errors are only counted. */
const mostErrors = 100;
/**
 * Number of errors, over all events, from which on the answer to a batch lists only the first error of each further
 * event.
 */
const mostListed = 1000;

/**
 * HTTP answer to a batch of events. The status is 201 if all events were written, 207 if some were, and 200 for
 * `Prefer: handling=lenient`.
 */
interface BatchAnswer {
  status: 200 | 201 | 207;
  /** The body as JSON text. */
  body: string;
}

/**
 * Returns the HTTP answer to a batch of events, with the results in request order.
 * @throws ProblemError `invalid_request` when no event was written or kept, with the errors of the first events
 */
export function batchAnswer(
  results: readonly (AppendedEvent | EventRejection)[],
  { isLenient = false, warnings = [] }: { isLenient?: boolean; warnings?: readonly string[] } = {},
): BatchAnswer {
  let accepted = 0;
  let kept = 0;
  let listed = 0;
  let events = '';
  for (const result of results) {
    if (events !== '') events += ',';
    if (result instanceof EventRejection) {
      const errors = listed < mostListed ? result.errors : result.errors.slice(0, 1);
      listed += errors.length;
      events += errorItem(result, errors);
      if (result.kept) kept++;
    } else {
      accepted++;
      events += acceptedItem(result);
    }
  }
  if (accepted + kept === 0) throw allRejected(results as EventRejection[]);
  const rejected = results.length - accepted;
  return {
    status: isLenient ? 200 : rejected === 0 ? 201 : 207,
    body: `{"accepted":${accepted},"rejected":${rejected},"events":[${events}]${warningsJson(warnings)}}`,
  };
}

/** Returns `,"warnings":[…]`, the end of the JSON object of an answer; an empty text without warnings. */
export function warningsJson(warnings: readonly string[]): string {
  return warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
}

function acceptedItem(appended: AppendedEvent): string {
  const { event, position } = appended;
  return `{"event_id":"${event.event_id}","partition":${position.partition},"offset":${position.offset}${decisionJson(appended)}}`;
}

/** Returns the members of a written event that say how its conditional write was decided, as the end of a JSON object. */
export function decisionJson({ version, repeated }: AppendedEvent): string {
  if (version === undefined) return '';
  return repeated ? `,"version":${version},"repeated":true` : `,"version":${version}`;
}

function errorItem(
  { code, detail, kept, currentVersion }: EventRejection,
  errors: readonly InputProblem[],
): string {
  const status = problemDefinition(code).status;
  const error = {
    ...{ code, status, detail, current_version: currentVersion },
    ...(errors.length > 0 && { errors }),
  };
  return JSON.stringify({ error, ...kept });
}

function allRejected(results: readonly EventRejection[]): ProblemError {
  const errors: InputProblem[] = [];
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

function errorsOf(rejection: EventRejection, index: number): InputProblem[] {
  const { code, detail, errors } = rejection;
  if (rejection === notWritten) return [];
  if (errors.length > 0) return [...errors];
  return [{ pointer: `/events/${index}`, detail: `${code}: ${detail}` }];
}
