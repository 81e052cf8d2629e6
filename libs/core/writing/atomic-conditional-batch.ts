import { ProblemError, type InputProblem } from '#api';
import { limits } from '#event';
import type { AcceptedEvent } from './read-event.js';
import type { ParsedEvents } from './read-request.js';
import { EventRejection } from './rejection.js';

/**
 * Makes an atomic group of an atomic batch whose first event has an `expected_version`: each later event expects the version of
 * the event before it. Changes nothing in a batch without a condition, or with a rejected event, of which nothing is written.
 * @throws ProblemError `one_entity`, `payload_too_large`, or `invalid_request` for a condition on a later event or an event twice
 */
export function expectConsecutiveVersions(events: ParsedEvents): void {
  const valid = events.filter((event): event is AcceptedEvent => !(event instanceof EventRejection));
  if (valid.length < events.length || valid.every(({ expected_version }) => expected_version === null))
    return;
  const [first] = valid as [AcceptedEvent];
  const errors = valid.flatMap((event, i) => laterConditionOf(event, i));
  if (errors.length > 0)
    throw invalid(
      'In an atomic batch, only the first event has an expected_version: it counts for all.',
      errors,
    );
  const other = valid.findIndex(
    (event) => event.stream !== first.stream || event.entity_id !== first.entity_id,
  );
  if (other >= 0) {
    const name = valid[other]!.stream === first.stream ? 'entity_id' : 'stream';
    const detail =
      'The events of an atomic batch with an expected_version must be of one stream and one entity.';
    const pointer = `/events/${other}/${name}`;
    throw new ProblemError('one_entity', detail, {
      errors: [{ pointer, detail: 'differs from the first event' }],
    });
  }
  if (valid.length > limits.atomicEvents) throw tooMany(valid.length);
  const known = new Set<string>();
  const again = valid.findIndex(({ event_id }) => known.size === known.add(event_id).size);
  if (again >= 0)
    throw invalid('The batch has an event twice.', [
      { pointer: `/events/${again}/event_id`, detail: 'is that of an earlier event of the batch' },
    ]);
  for (const [i, event] of valid.entries()) event.expected_version = first.expected_version! + i;
}

function laterConditionOf({ expected_version }: AcceptedEvent, index: number): InputProblem[] {
  if (index === 0 || expected_version === null) return [];
  return [{ pointer: `/events/${index}/expected_version`, detail: 'can only be that of the first event' }];
}

function invalid(detail: string, errors: InputProblem[]): ProblemError {
  return new ProblemError('invalid_request', detail, { errors });
}

function tooMany(events: number): ProblemError {
  const detail = `An atomic batch with an expected_version has at most ${limits.atomicEvents} events, not ${events}.`;
  return new ProblemError('payload_too_large', detail);
}
