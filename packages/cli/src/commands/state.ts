import { instantOption } from '../arguments/options.js';
import { UsageError } from '../errors/cli-error.js';
import type { Command } from './command.js';
import { waitOption } from './events.js';

const stateColumns = [
  { name: 'key' },
  { name: 'version' },
  { name: 'updated_at' },
  { name: 'state', of: (item: { stateText: string }) => item.stateText },
];

export const state: Command = {
  name: 'state',
  summary: 'Shows the state of an entity, or the states of a projection.',
  positionals: [
    {
      name: 'STREAM',
      optional: true,
      completes: 'streams',
      about: 'stream of the entity; with --projection, a key of the projection',
    },
    { name: 'ENTITY', optional: true, about: 'entity' },
  ],
  options: {
    'as-of': instantOption('the state of the events up to this time, or 15m: 15 minutes ago'),
    projection: { value: 'NAME', about: 'projection whose states are shown: of one key, or of all' },
    prefix: { value: 'TEXT', about: 'with --projection: keys with this prefix' },
    ...waitOption,
  },
  effect: 'reads',
  async run(session, input) {
    const [stream, entity_id] = [input.optionalWord('STREAM'), input.optionalWord('ENTITY')];
    const projection = input.text('projection');
    const client = await session.client();
    const { signal, output } = session;
    const wait_for = input.texts('wait-for');
    if (projection === undefined) {
      if (stream === undefined || entity_id === undefined)
        throw new UsageError('STREAM and ENTITY are missing, or --projection NAME.');
      const as_of = input.text('as-of');
      return output.one(await client.state({ stream, entity_id, as_of, wait_for }, { signal }));
    }
    if (entity_id !== undefined) throw new UsageError(`"${entity_id}" is an unexpected argument.`);
    if (stream !== undefined)
      return output.one(await client.projections.state(projection, stream, { wait_for, signal }));
    const query = { prefix: input.text('prefix'), wait_for, limit: 1000 };
    await output.list(client.projections.states(projection, query, { signal }), stateColumns);
  },
};
