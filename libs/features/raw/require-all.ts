import type { InputProblem } from '#api';
import { type AcceptedEvent, type ParsedEvents, EventRejection } from '#writing';

/** Maximum number of input errors that the answer lists. */
const mostErrors = 100;

/**
 * Returns the events of a request if none of its values was rejected.
 * @throws ProblemError of the first rejected value, with its number and line and the errors of all rejected values
 */
export function requireAll(events: ParsedEvents, text: string): AcceptedEvent[] {
  let first: EventRejection | undefined;
  let refused = 0;
  const errors: InputProblem[] = [];
  for (const event of events) {
    if (!(event instanceof EventRejection)) continue;
    first ??= event;
    refused++;
    errors.push(...event.errors.slice(0, mostErrors - errors.length));
  }
  if (!first) return events as AcceptedEvent[];
  const place = `Value ${events.indexOf(first) + 1} of ${events.length}, line ${lineAt(text, first.sent?.start ?? 0)}`;
  const more = refused === 1 ? '' : ` ${refused} values were rejected in total.`;
  const detail = `${place}: ${first.detail}${more} Nothing was written.`;
  throw new EventRejection(first.code, detail, errors).toProblem();
}

/** Returns the line number of an index, from 1. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < index; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
