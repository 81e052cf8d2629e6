import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { OutputFormatName } from './formats.js';
import { OutputWriter, OutputPipe } from './output-writer.js';

const acting = [
  ...['\u001b', '\u0007', '\u007f', '\u0080', '\u009b', '\u009f', '\u061c', '\u200b', '\u200e', '\u200f'],
  ...['\u202a', '\u202e', '\u2066', '\u2069', '\ufeff', '\u00ad', '\u034f', '\u115f', '\u3164', '\uffa0'],
  ...['\u200c', '\u200d', '\u2060', '\ufe00', '\ufe0f', '\u{e0041}', '\u{e0100}', '\ufff9'],
].join('');
const item = { name: `a${acting}\tb\rc`, plain: 'ž' };

async function shown(form: OutputFormatName, isTerminal: boolean): Promise<string> {
  const stream = new PassThrough();
  const output = new OutputWriter(new OutputPipe(stream, new AbortController().signal), {
    ...{ form, width: 1000, isTerminal },
  });
  await output.list([item], [{ name: 'name' }, { name: 'plain' }]);
  stream.end();
  return text(stream);
}

describe('on a terminal', () => {
  it.each(['table', 'csv', 'json', 'ndjson', 'yaml'] as const)(
    '%s contains no control characters',
    async (form) => {
      const screen = await shown(form, true);
      expect(screen.replaceAll('\r\n', '\n')).not.toMatch(/[^\n\u0020-\u007e\u00a0-\u00ac\u00ae-\u017f…]/);
      expect(screen).toContain('ž');
    },
  );

  it.each(['json', 'ndjson'] as const)('%s has the same values', async (form) => {
    expect([JSON.parse(await shown(form, true))].flat()).toEqual([item]);
  });
});

describe('in a pipe', () => {
  it('the text is exact', async () => {
    expect(await shown('csv', false)).toBe(`name,plain\r\n"${item.name}",ž\r\n`);
    expect(await shown('ndjson', false)).toBe(`${JSON.stringify(item)}\n`);
  });
});
