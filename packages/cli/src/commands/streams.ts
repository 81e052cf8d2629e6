import type { Retention } from '#client';
import type { Options } from '../arguments/options.js';
import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import type { Command } from './command.js';

const streamPositional = { name: 'STREAM', about: 'stream' };

const retentionOptions: Options = {
  retention: { value: 'SPAN', about: 'how long events are kept, such as 30d; or unlimited' },
  'retention-bytes': { value: 'N', least: 1, about: 'how many bytes of events are kept' },
};

/** Returns the retention of a command line; undefined if it has none. @throws UsageError for a contradiction */
function retentionOf(input: ParsedArguments): Retention | undefined {
  const [time, bytes] = [input.text('retention'), input.whole('retention-bytes')];
  if (time === undefined && bytes === undefined) return undefined;
  if (time !== 'unlimited')
    return { ...(time !== undefined && { time }), ...(bytes !== undefined && { bytes }) };
  if (bytes === undefined) return 'unlimited';
  throw new UsageError('--retention unlimited and --retention-bytes exclude each other.');
}

export const streamsCreate: Command = {
  name: 'streams create',
  summary: 'Creates a stream.',
  positionals: [streamPositional],
  options: {
    partitions: { value: 'N', least: 1, about: 'number of partitions, which cannot be changed later' },
    ...retentionOptions,
  },
  effect: 'writes',
  async run(session, input) {
    const stream = input.word('STREAM');
    const definition = { stream, partitions: input.whole('partitions'), retention: retentionOf(input) };
    const client = await session.client();
    await session.output.one(await client.streams.create(definition, { signal: session.signal }));
    session.report(`created stream ${stream}`);
  },
};

export const streamsRetention: Command = {
  name: 'streams retention',
  summary: 'Changes how long the events of a stream are kept.',
  positionals: [{ ...streamPositional, completes: 'streams' }],
  options: retentionOptions,
  details: 'The new retention replaces the whole current one. Events beyond it are removed within minutes.',
  effect: 'destroys',
  async run(session, input) {
    const [stream, retention] = [input.word('STREAM'), retentionOf(input)];
    if (retention === undefined) throw new UsageError('--retention SPAN or --retention-bytes N is missing.');
    const client = await session.client();
    const { signal } = session;
    const { retention: before } = await client.streams.get(stream, { signal });
    const change = `from ${JSON.stringify(before)} to ${JSON.stringify(retention)}`;
    const what = `Changes the retention of the stream ${stream} ${change}. Events beyond it are removed for ever.`;
    if (retention !== 'unlimited') await session.requireConfirmed(stream, { what });
    await client.streams.change(stream, { retention }, { signal });
    session.report(`changed the retention of stream ${stream} ${change}`);
  },
};
