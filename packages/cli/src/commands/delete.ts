import { plurals, resourceOf } from '../resources/index.js';
import type { Command } from './command.js';

export const remove: Command = {
  name: 'delete',
  summary: 'Deletes a definition: a stream with its events, a projection with its states.',
  positionals: [
    { name: 'KIND', oneOf: plurals, about: 'kind' },
    { name: 'NAME', about: 'name; for a schema STREAM/EVENT_TYPE, for a key its id' },
  ],
  details:
    'A schema is retired and a key is revoked. Deleting a stream always needs --confirm NAME; with a protected profile every deletion needs it.',
  effect: 'destroys',
  async run(session, input) {
    const [resource, name] = [resourceOf(input.word('KIND')), input.word('NAME')];
    await session.requireConfirmed(name, { always: resource.kind === 'stream' });
    const client = await session.client();
    await resource.delete(client, name, { confirm: name, signal: session.signal });
    session.report(`deleted ${resource.kind} ${name}`);
  },
};
