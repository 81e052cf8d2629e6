import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '#event';
import { csvColumns, csvLine } from './csv.js';

const event: StoredEvent = {
  event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  stream: 'orders',
  event_type: 'order.placed',
  entity_id: null,
  version: null,
  timestamp: '2026-11-21T04:00:00.000123Z',
  ingested_at: '2026-11-21T04:00:00.004410Z',
  data: '{}',
  metadata: '{}',
  schema_version: null,
  partition: 4,
  offset: 10234,
};

/** Returns the CSV cell for a text of a client, without the quotes of RFC 4180. */
function cell(text: string): string {
  const before = csvLine({ ...event, event_type: '' })
    .split(',')
    .slice(0, 2)
    .join(',');
  const field = csvLine({ ...event, event_type: text }).slice(
    before.length + 1,
    -csvLine(event).split('order.placed')[1]!.length,
  );
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

describe('a text that a spreadsheet could run as a formula', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['﹦1+1', "'﹦1+1"],
    ['−1', "'−1"],
    [' =1+1', " '=1+1"],
    ['\u00a0\u3000=1+1', "\u00a0\u3000'=1+1"],
    ['\u200b\ufeff=1+1', "\u200b\ufeff'=1+1"],
    ['\u0000=1+1', "\u0000'=1+1"],
    ['"=1+1', '"\'=1+1'],
    ["'=1+1", "''=1+1"],
    ['\t=1+1', "'\t'=1+1"],
    ['\r=1+1', "'\r'=1+1"],
    ['\n=1+1', "'\n'=1+1"],
    ['\ta', "'\ta"],
    ['\na', "'\na"],
    [';=1+1', ";'=1+1"],
    ['; =1+1', "; '=1+1"],
    [';;=1+1', ";;'=1+1"],
    ['|=1+1', "|'=1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a;"=1+1"', 'a;"\'=1+1"'],
    ['a;＝1+1;b;@c', "a;'＝1+1;b;'@c"],
    ['a\t=1+1', "a\t'=1+1"],
    ['a\n=1+1', "a\n'=1+1"],
    ['a\u2028=1+1', "a\u2028'=1+1"],
    ['==1', "'==1"],
  ])('is escaped: %j becomes %j', (text, safe) => expect(cell(text)).toBe(safe));

  it('is also escaped inside the data of an event', () => {
    expect(csvLine({ ...event, data: '{"a":";=1+1"}' })).toContain(`"{""a"":"";'=1+1""}"`);
  });
});

describe('a text that no spreadsheet runs', () => {
  it.each([
    '',
    'a',
    'order-17',
    'a=b',
    'a + b',
    'a@example.com',
    'a; b',
    'a|b',
    '1-2',
    '{"n":-1}',
    '[-1,-2]',
    'é＝',
  ])('is unchanged: %j', (text) => expect(cell(text)).toBe(text));
});

describe('a CSV line', () => {
  it('has the columns in order, and an empty cell for null', () => {
    const fields = csvLine(event).trimEnd().split(',');
    expect(fields).toEqual(csvColumns.map((column) => String(event[column] ?? '')));
  });

  it('is computed in time that is linear in its length', () => {
    for (const piece of [' ', '"', ';', '; ', '\n', '\r\n', '\t ', '\u2028', ';"'])
      expect(csvLine({ ...event, data: `a${piece.repeat(500_000)}` })).not.toContain("'");
  });
});
