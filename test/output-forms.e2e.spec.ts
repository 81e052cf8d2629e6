import { beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent, type ReadEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const stream = freshStream();
const texts = ['plain', 'a,b', 'say "hi"', 'two\nlines', 'žluťoučký 🐎', '=1+1', ''];
let expected: ReadEvent[];

beforeAll(async () => {
  const written = [];
  for (const text of texts)
    written.push(
      await writeEvent(system().core, { stream, event_type: 'text', entity_id: 'e', data: { text } }),
    );
  expected = (await queryEvents(system().core, { stream }, waitFor(written))).events;
});

const get = (accept: string, port: 'core' | 'query' = 'core') =>
  system()[port].get(path('/api/v1/events/query', { stream }), { headers: { accept } });

describe.each(['core', 'query'] as const)('a page of events on the %s port', (port) => {
  it('is NDJSON, one event per line, if the client accepts it', async () => {
    const answer = await get('application/x-ndjson', port);
    expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/);
    const lines = answer.text.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line) as ReadEvent)).toEqual(expected);
  });

  it('is CSV with a header and quoted fields if the client accepts it', async () => {
    const answer = await get('text/csv', port);
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    const [header, ...rows] = parseCsv(answer.text);
    expect(header).toEqual(expect.arrayContaining(['event_id', 'stream', 'timestamp', 'data', 'offset']));
    const column = (row: string[], name: string) => row[header!.indexOf(name)]!;
    expect(rows.map((row) => column(row, 'event_id'))).toEqual(expected.map(({ event_id }) => event_id));
    expect(rows.map((row) => JSON.parse(column(row, 'data')) as object)).toEqual(
      expected.map(({ data }) => data),
    );
  });

  it('is JSON for the Accept headers of browsers and curl', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'text/html,application/xhtml+xml,*/*;q=0.8',
      'application/*',
    ]) {
      const answer = await get(accept, port);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.json<{ events: ReadEvent[] }>().events).toEqual(expected);
    }
  });

  it('is 406 if the client accepts none of the formats', async () => {
    expectProblem(await get('image/png', port), 'not_acceptable');
  });
});

/** Parses CSV (RFC 4180). */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}
