import type { Command } from './command.js';

export const erase: Command = {
  name: 'erase',
  summary: 'Erases an entity from a stream: all its events and its states.',
  positionals: [
    { name: 'STREAM', about: 'stream of the entity', completes: 'streams' },
    { name: 'ENTITY', about: 'entity' },
  ],
  details:
    'The erasure cannot be undone. Events that are written later are kept. Projections keep what they have folded of the ' +
    'entity until they are reset.',
  effect: 'destroys',
  async run(session, input) {
    const [stream, entity_id] = [input.word('STREAM'), input.word('ENTITY')];
    await session.requireConfirmed(entity_id, {
      what: `Erases all events of the entity ${entity_id} from the stream ${stream}. This cannot be undone.`,
    });
    const client = await session.client();
    const options = { confirm: entity_id, signal: session.signal };
    await session.output.one(await client.entities.erase({ stream, entity_id }, options));
    session.report(`erased entity ${entity_id} of stream ${stream}`);
    session.report('Projections keep what they have folded of it until `tributary reset projection NAME`.');
  },
};
