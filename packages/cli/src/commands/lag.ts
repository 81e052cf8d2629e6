import type { JobHistoryQuery } from '#client';
import { definitionLags, groupLags, jobHistoryRows, type LagRow } from '../lag/lag-rows.js';
import { members } from '../output/formats.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';

export const lag: Command = {
  name: 'lag',
  summary: 'Shows the lag of queries, projections and pipelines behind the log.',
  options: {
    over: {
      ...{ value: 'SPAN', oneOf: ['1h', '1d', '7d'] },
      about: 'mean rate, failed events and largest lag of each job over the last hour, day or week',
    },
  },
  details: 'With --over, the answer has what the gateway has measured since it started.',
  effect: 'reads',
  async run(session, input) {
    const span = input.text('over') as JobHistoryQuery['span'];
    if (span) return showHistory(session, span);
    await session.output.list(lags(session), members('kind', 'name', 'status', 'lag', 'seconds'));
  },
};

async function showHistory(session: CommandSession, span: JobHistoryQuery['span']): Promise<void> {
  const rows = jobHistoryRows(await session.client(), { span }, session.signal);
  await session.output.list(rows, members('job', 'per_second', 'failed', 'most_lag', 'most_seconds'));
}

async function* lags(session: CommandSession): AsyncGenerator<LagRow> {
  const { signal } = session;
  const client = await session.client();
  yield* groupLags(await client.health(undefined, { signal }));
  yield* definitionLags(client, signal);
}
