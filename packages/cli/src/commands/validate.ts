import type { Readable } from 'node:stream';
import type { DataValidationResult, SchemaAddress } from '#client';
import { exitCodes } from '../errors/exit-code.js';
import { members } from '../output/formats.js';
import { linesOf, openSource } from '../producing/input.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';

export const validate: Command = {
  name: 'validate',
  summary: 'Checks data against a schema, one JSON object per line; exits with 1 if any does not match.',
  positionals: [
    { name: 'STREAM', about: 'stream of the schema' },
    { name: 'TYPE', about: 'event type of the schema' },
    { name: 'FILE', optional: true, about: 'file; default: standard input' },
  ],
  options: { version: { value: 'N', least: 1, about: 'version of the schema; default: the latest' } },
  details: 'A line is the data of an event. No event is written.',
  effect: 'reads',
  answersWithCode: true,
  async run(session, input) {
    const address = { stream: input.word('STREAM'), event_type: input.word('TYPE') };
    const { stream: source } = openSource(input.optionalWord('FILE'), session.terminal);
    const result = { valid: true };
    const checked = checks(session, { address, source, version: input.whole('version'), result });
    await session.output.list(checked, members('line', 'valid', 'version', 'code', 'errors'), { live: true });
    return result.valid ? exitCodes.done : exitCodes.differs;
  },
};

interface Checks {
  address: SchemaAddress;
  source: Readable;
  version: number | undefined;
  /** Whether all lines match so far. */
  result: { valid: boolean };
}

async function* checks(
  session: CommandSession,
  { address, source, version, result }: Checks,
): AsyncGenerator<DataValidationResult & { line: number }> {
  const { signal } = session;
  const client = await session.client();
  signal.addEventListener('abort', () => source.destroy(), { once: true });
  let line = 0;
  for await (const dataText of linesOf(source)) {
    signal.throwIfAborted();
    line++;
    if (dataText instanceof Error) throw dataText;
    if (dataText.trim() === '') continue;
    const checked = await client.schemas.validate(address, { dataText, version }, { signal });
    result.valid &&= checked.valid;
    yield { line, ...checked };
  }
}
