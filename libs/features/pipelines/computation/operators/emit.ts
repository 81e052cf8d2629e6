import { limits } from '#event';
import { plainTextPattern, plainTextRule } from '#api';
import { DefinitionMemberReader, definitionError } from '#dataflow';
import { targetStream } from '../flow/operand.js';
import type { OperatorImplementation } from './operator.js';

interface EmitSpec {
  stream: string;
  event_type?: string;
}

/** `emit`: writes the event to a stream, unchanged or with another event type, and passes the unchanged event on. */
export const emit: OperatorImplementation<EmitSpec> = {
  summary: '`{stream, event_type?}`, writes the event to a stream.',
  isOutput: true,
  effects: ({ stream }, at) => [{ kind: 'write', stream, pointer: `${at}/stream` }],
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, ['stream', 'event_type']);
    const stream = targetStream(members);
    const type = members.optionalText('event_type', limits.eventTypeCharacters);
    if (type !== undefined && !plainTextPattern.test(type))
      throw definitionError(members.at('event_type'), plainTextRule);

    return (next) => (flow, context) => {
      const emitted = type === undefined ? flow : flow.with({ event_type: type });
      context.outcomes.push({ kind: 'emit', at, stream, flow: emitted });
      next(flow, context);
    };
  },
};
