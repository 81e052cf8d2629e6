import { type ReplayReport, type Tributary, visibleText } from '#client';
import { members } from '../output/formats.js';
import type { Command } from './command.js';
import { instantOption } from '../arguments/options.js';
import { UsageError } from '../errors/cli-error.js';
import { exitCodes } from '../errors/exit-code.js';

export const deadLettersList: Command = {
  name: 'dead-letters list',
  summary: 'Shows records that could not be processed, each with the reason.',
  options: {
    source: { value: 'SOURCE', about: 'materializer, projection:NAME or pipeline:NAME' },
    since: instantOption('dead letters of this time or later, or 15m: of the last 15 minutes'),
    until: instantOption('dead letters before this time'),
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

export const deadLettersReplay: Command = {
  name: 'dead-letters replay',
  summary: 'Replays dead letters: by ids, or all of a source.',
  positionals: [{ name: 'ID', optional: true, many: true, about: 'ids of dead letters' }],
  options: {
    source: { value: 'SOURCE', about: 'all dead letters of materializer, projection:NAME or pipeline:NAME' },
    'dry-run': { about: 'show how many would be replayed, and replay none' },
  },
  effect: 'writes',
  async run(session, input) {
    const [ids, source] = [[...input.allWords('ID')], input.text('source')];
    if (ids.length > 0 === (source !== undefined)) throw new UsageError('ID or --source SOURCE is missing.');
    const totals = { matched: 0, replayed: 0, skipped: 0, failed: 0 };
    const options = { dryRun: input.flag('dry-run'), signal: session.signal };
    const client = await session.client();
    for await (const { matched, replayed, skipped, failed } of replays(client, { ids, source }, options)) {
      totals.matched += matched;
      totals.replayed += replayed;
      totals.skipped += skipped;
      totals.failed += failed.length;
      for (const { id, detail } of failed) session.report(visibleText(`${id}: ${detail}`));
    }
    await session.output.one(totals, members(...Object.keys(totals)));
    return totals.failed > 0 ? exitCodes.refused : exitCodes.done;
  },
};

/** Replays dead letters page by page: one request replays up to a thousand. */
async function* replays(
  client: Tributary,
  { ids, source }: { ids: string[]; source: string | undefined },
  options: { dryRun: boolean; signal: AbortSignal },
): AsyncGenerator<ReplayReport> {
  let cursor: string | undefined;
  do {
    const input = source === undefined ? { ids } : { source, cursor };
    const answer = await client.deadLetters.replay(input, options);
    yield answer;
    cursor = answer.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
