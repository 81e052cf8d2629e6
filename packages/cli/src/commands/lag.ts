import { definitionLags, groupLags, type LagRow } from '../lag/lag-rows.js';
import { members } from '../output/formats.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';

export const lag: Command = {
  name: 'lag',
  summary: 'Shows the lag of queries, projections and pipelines behind the log.',
  effect: 'reads',
  async run(session) {
    await session.output.list(lags(session), members('kind', 'name', 'status', 'lag', 'seconds'));
  },
};

async function* lags(session: CommandSession): AsyncGenerator<LagRow> {
  const { signal } = session;
  const client = await session.client();
  yield* groupLags(await client.health(undefined, { signal }));
  yield* definitionLags(client, signal);
}
