import { limits, streamNamePattern, streamNameRule } from '#event';
import { plainTextPattern, plainTextRule } from '#api';
import { Members, refusal } from '../pipelines/members.js';
import type { Operator } from './operator.js';

/** A name of a stream that a pipeline writes to. @throws DefinitionError */
export function targetStream(members: Members): string {
  const stream = members.text('stream', limits.streamCharacters);
  if (streamNamePattern.test(stream)) return stream;
  throw refusal(members.at('stream'), streamNameRule);
}

/**
 * `emit`: writes the event to a stream, as it is or with another type. The event goes on to the operators after it.
 * @throws DefinitionError
 */
export function compileEmit(spec: unknown, at: string): { operator: Operator; stream: string } {
  const members = new Members(spec, at, ['stream', 'event_type']);
  const stream = targetStream(members);
  const type = members.optionalText('event_type', limits.eventTypeCharacters);
  if (type !== undefined && !plainTextPattern.test(type))
    throw refusal(members.at('event_type'), plainTextRule);

  const operator: Operator = (next) => (flow, run) => {
    const emitted = type === undefined ? flow : flow.with({ event_type: type });
    run.outcomes.push({ kind: 'emit', at, stream, flow: emitted });
    next(flow, run);
  };
  return { operator, stream };
}
