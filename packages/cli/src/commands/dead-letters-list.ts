import { members } from '../output/column.js';
import type { Command } from './command.js';

export const deadLettersList: Command = {
  name: 'dead-letters list',
  summary: 'Shows records that could not be processed, each with the reason.',
  options: {
    source: { value: 'SOURCE', about: 'materializer, projection:NAME or pipeline:NAME' },
    since: { value: 'TIME', about: 'dead letters of this time or later' },
    until: { value: 'TIME', about: 'dead letters before this time' },
    replayed: { value: 'ANSWER', oneOf: ['yes', 'no'], about: 'only replayed ones, or only others' },
  },
  effect: 'reads',
  async run(session, input) {
    const replayed = input.text('replayed');
    const query = {
      ...{ source: input.text('source'), since: input.text('since'), until: input.text('until') },
      replayed: replayed === undefined ? undefined : replayed === 'yes',
    };
    const { signal } = session;
    const letters = (await session.client()).deadLetters.list(query, { signal });
    const columns = members('id', 'source', 'stream', 'partition', 'offset', 'created_at', 'reason', 'error');
    await session.output.list(letters, columns);
  },
};
