import type { DataValidationResult } from '#client';
import { exitCodes } from '../errors/exit-code.js';
import { members } from '../output/formats.js';
import { linesOf, openSource } from '../producing/input.js';
import type { Command } from './command.js';

export const validate: Command = {
  name: 'validate',
  summary: 'Checks data against a schema, one JSON object per line; exits with 1 if any does not match.',
  positionals: [
    { name: 'STREAM', completes: 'streams', about: 'stream of the schema' },
    { name: 'TYPE', about: 'event type of the schema' },
    { name: 'FILE', optional: true, about: 'file; default: standard input' },
  ],
  options: { version: { value: 'N', least: 1, about: 'version of the schema; default: the latest' } },
  details: 'A line is the data of an event. No event is written.',
  effect: 'reads',
  answersWithCode: true,
  async run(session, input) {
    const address = { stream: input.word('STREAM'), event_type: input.word('TYPE') };
    const version = input.whole('version');
    const { stream: source } = openSource(input.optionalWord('FILE'), session.terminal);
    const { signal } = session;
    let valid = true;
    async function* results(): AsyncGenerator<DataValidationResult & { line: number }> {
      const client = await session.client();
      signal.addEventListener('abort', () => source.destroy(), { once: true });
      let line = 0;
      for await (const dataText of linesOf(source)) {
        signal.throwIfAborted();
        line++;
        if (dataText instanceof Error) throw dataText;
        if (dataText.trim() === '') continue;
        const result = await client.schemas.validate(address, { dataText, version }, { signal });
        valid &&= result.valid;
        yield { line, ...result };
      }
    }
    const columns = members('line', 'valid', 'version', 'code', 'errors');
    await session.output.list(results(), columns, { live: true });
    return valid ? exitCodes.done : exitCodes.differs;
  },
};
