import { describe, expect, it } from 'vitest';
import { expectProblem } from '../api.js';
import { useRefusedStream } from './nothing-written.js';
import { system } from './system.js';

const refused = useRefusedStream(system);
const good = { stream: refused, event_type: 't', data: {} };
const post = (body: unknown, headers: Record<string, string> = {}) =>
  system().write.post('/api/v1/events', body, { headers });

describe('a field', () => {
  const cases: [string, unknown, string][] = [
    ['stream missing', { stream: undefined }, '/stream'],
    ...[
      null,
      1,
      {},
      [],
      '',
      ' ',
      '..',
      '.',
      'a/b',
      'a b',
      '__consumer_offsets',
      '-a',
      'ž',
      'аbc',
      'a\n',
      'a\u0000',
      'x'.repeat(201),
      'x'.repeat(249),
      'x'.repeat(250),
      '../definitions',
    ].map((stream): [string, unknown, string] => [
      `stream ${JSON.stringify(stream).slice(0, 30)}`,
      { stream },
      '/stream',
    ]),
    ['event_type missing', { event_type: undefined }, '/event_type'],
    ...[null, 1, '', 'a\u0000b', 'a\nb', 'a\u007fb', 'a\u0085b', 'half a pair \ud800', 'x'.repeat(257)].map(
      (event_type): [string, unknown, string] => [
        `event_type ${JSON.stringify(event_type).slice(0, 30)}`,
        { event_type },
        '/event_type',
      ],
    ),
    ...[1, '', 'x'.repeat(257), {}, 'half a pair \ud800'].map((entity_id): [string, unknown, string] => [
      `entity_id ${JSON.stringify(entity_id).slice(0, 30)}`,
      { entity_id },
      '/entity_id',
    ]),
    ['data missing', { data: undefined }, '/data'],
    ...[null, 1, 'x', [], true].map((data): [string, unknown, string] => [
      `data ${JSON.stringify(data)}`,
      { data },
      '/data',
    ]),
    ...[1, 'x', [], { a: { b: 1 } }, { a: [1] }].map((metadata): [string, unknown, string] => [
      `metadata ${JSON.stringify(metadata)}`,
      { metadata },
      metadata && typeof metadata === 'object' && 'a' in metadata ? '/metadata/a' : '/metadata',
    ]),
    ...[
      1,
      '',
      'now',
      '2026-02-30T00:00:00Z',
      '2026-01-01',
      '2026-01-01T25:00:00Z',
      '1899-12-31T23:59:59Z',
      '2200-01-01T00:00:00Z',
      '2026-01-01T00:00:00',
    ].map((timestamp): [string, unknown, string] => [
      `timestamp ${JSON.stringify(timestamp)}`,
      { timestamp },
      '/timestamp',
    ]),
    ...[
      1,
      '',
      '17',
      '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c1',
      '019aa4e27d537c1e9a3e0d6a1f0b2c11',
      "' OR 1=1 --",
    ].map((event_id): [string, unknown, string] => [
      `event_id ${JSON.stringify(event_id)}`,
      { event_id },
      '/event_id',
    ]),
    ...['version', 'ingested_at', 'schema_version', 'partition', 'offset'].map(
      (name): [string, unknown, string] => [`${name} from outside`, { [name]: 1 }, `/${name}`],
    ),
  ];

  it.each(cases)('%s is refused with its JSON pointer', async (_name, more, pointer) => {
    const problem = expectProblem(await post({ ...good, ...(more as object) }), 'invalid_request');
    expect(problem.errors?.map((error) => error.pointer)).toContain(pointer);
  });

  it('given twice is refused, because parsers would choose different ones', async () => {
    const answer = await post(`{"stream":"a","stream":"${refused}","event_type":"t","data":{}}`);
    expect(answer.status, answer.text).toBe(400);
  });
});
