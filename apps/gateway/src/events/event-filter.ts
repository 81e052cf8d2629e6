import { parseTime, type Micros } from '#event';
import { ProblemError } from '#api';
import type { Expression } from '#cel';
import type { EventFilter, Permitted } from '#store';
import { ExpensiveExpressionError, ExpressionError, parseCondition } from '#cel';
import { parsePosition, type StreamPosition } from '../wait-for/position.js';
import type { EventSelectionParameters } from './event-parameters.js';

/**
 * The store's filter for a request's parameters, which have been validated one by one.
 * @throws ProblemError 400 when `since` is not before `until`, or `where` is no condition; 422 when it costs too much.
 */
export function eventFilter(parameters: EventSelectionParameters): Omit<EventFilter, keyof Permitted> {
  return {
    ...timeRange(parameters),
    streams: parameters.stream,
    eventTypes: parameters.event_type,
    eventTypePrefix: parameters.event_type_prefix,
    entityIds: parameters.entity_id,
    where: parameters.where === undefined ? undefined : expression(parameters.where),
  };
}

/** @throws ProblemError 400 when the range holds no time at all: that is a mistake, not a question. */
export function timeRange(range: { since?: string; until?: string }): { since?: Micros; until?: Micros } {
  const since = range.since === undefined ? undefined : parseTime(range.since);
  const until = range.until === undefined ? undefined : parseTime(range.until);
  if (since === undefined || until === undefined || since < until) return { since, until };
  throw new ProblemError('invalid_request', 'since must be before until.', {
    errors: [{ pointer: 'since', detail: 'must be before until' }],
  });
}

export function positions(parameters: { wait_for?: string[] }): StreamPosition[] {
  return (parameters.wait_for ?? []).map(parsePosition).filter((position) => position !== undefined);
}

function expression(text: string): Expression {
  try {
    return parseCondition(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const detail = `${error.message} (at character ${error.at + 1})`;
    const code = error instanceof ExpensiveExpressionError ? 'query_too_expensive' : 'invalid_expression';
    throw new ProblemError(code, detail, { errors: [{ pointer: 'where', detail }] });
  }
}
