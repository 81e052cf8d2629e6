import type { EventFilter, StoredEvent } from '#client';
import type { ParsedArguments } from '../arguments/parse.js';
import type { Options, Positional } from '../arguments/options.js';
import type { Column } from '../output/formats.js';

/** The positional argument `STREAM...` of commands that select events. */
export const streamsPositional: Positional = {
  ...{ name: 'STREAM', optional: true, many: true },
  about: 'streams; default: all that the key may read',
};

export const filterOptions: Options = {
  type: { value: 'TYPE', multiple: true, about: 'event type' },
  'type-prefix': { value: 'TEXT', about: 'event types with this prefix' },
  entity: { value: 'ID', multiple: true, about: 'entity' },
  since: { value: 'TIME', about: 'events of this time or later: 2026-01-31T10:00:00Z' },
  until: { value: 'TIME', about: 'events before this time' },
  where: { value: 'CEL', about: "condition: 'event.data.amount > 50'" },
};

export const waitOption: Options = {
  'wait-for': {
    ...{ value: 'POSITION', multiple: true },
    about: 'wait until this position can be queried, stream:partition:offset',
  },
};

/** Returns the event filter of a command line. */
export function filterOf(input: ParsedArguments): EventFilter {
  const streams = input.allWords('STREAM');
  return {
    ...(streams.length > 0 && { stream: streams }),
    event_type: input.texts('type'),
    event_type_prefix: input.text('type-prefix'),
    entity_id: input.texts('entity'),
    since: input.text('since'),
    until: input.text('until'),
    where: input.text('where'),
  };
}

/** The columns of events. CSV has the columns of the API's CSV. */
export const eventColumns: readonly Column<StoredEvent>[] = [
  { name: 'event_id', csvOnly: true },
  { name: 'stream' },
  { name: 'event_type' },
  { name: 'entity_id' },
  { name: 'version' },
  { name: 'timestamp' },
  { name: 'ingested_at', csvOnly: true },
  { name: 'schema_version', csvOnly: true },
  { name: 'partition', csvOnly: true },
  { name: 'offset', csvOnly: true },
  { name: 'metadata', of: ({ metadataText }) => metadataText, csvOnly: true },
  { name: 'data', of: ({ dataText }) => dataText },
];
