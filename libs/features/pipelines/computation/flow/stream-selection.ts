import { limits, streamNamePattern, streamNameRule } from '#event';
import {
  collectErrors,
  compileSource,
  type DefinitionMemberReader,
  type DefinitionProblem,
  definitionError,
  expressionText,
  readList,
  readText,
} from '#dataflow';
import { readableEvent } from './lazily-parsed-event.js';
import { pipelineLimits } from './limits.js';
import type { StreamSelection } from './pipeline.js';

/** The members of an input in a definition. */
export const selectionMembers = ['streams', 'event_types', 'where'] as const;

/** Compiles the members `streams`, `event_types` and `where`. Adds all errors to `errors`. */
export function compileSelection(
  members: DefinitionMemberReader,
  errors: DefinitionProblem[],
): StreamSelection {
  const streams = collectErrors(errors, () => members.read('streams', streamsOf));
  const eventTypes = collectErrors(errors, () => members.optional('event_types', eventTypesOf));
  const where = collectErrors(errors, () =>
    members.optional('where', (text, at) => expressionText(text, at, limits.whereCharacters)),
  );
  const condition =
    where === undefined
      ? undefined
      : collectErrors(errors, () => compileSource({ where }, members.at('where')));
  return {
    streams: streams ?? [],
    eventTypes,
    matches: (flow) =>
      (!eventTypes || eventTypes.has(flow.event.event_type)) && (condition?.(readableEvent(flow)) ?? true),
  };
}

function streamsOf(value: unknown, pointer: string): readonly string[] {
  const streams = readList(value, pointer, [1, pipelineLimits.streams]);
  return streams.map((name, i) => {
    const stream = readText(name, `${pointer}/${i}`, limits.streamCharacters);
    if (!streamNamePattern.test(stream)) throw definitionError(`${pointer}/${i}`, streamNameRule);
    if (streams.indexOf(stream) < i) throw definitionError(`${pointer}/${i}`, 'is a duplicate');
    return stream;
  });
}

function eventTypesOf(value: unknown, pointer: string): ReadonlySet<string> {
  const types = readList(value, pointer, [1, limits.filterValues]);
  return new Set(types.map((type, i) => readText(type, `${pointer}/${i}`, limits.eventTypeCharacters)));
}
