import { gzipSync } from 'node:zlib';
import { limits } from '#event';
import {
  doubling,
  hostileExpressions,
  hostileHeaders,
  hostileJson,
  hostilePatterns,
  hostileTexts,
  testsAll,
} from '#testkit';
import { path } from '../api.js';
import { costly, output } from './costly-data.js';
import { costlyLogs } from './costly-logs.js';
import { oneInThree } from './one-in-three.js';
import type { WorstCaseRequest } from './worst-case-request.js';

const worstCursor = 'A'.repeat(4096);
const emoji = '😀'.repeat(128);
/** Twelve mebibytes of lines with a byte-order mark each, which are small once they are compressed. */
const markedLines = gzipSync('\n\ufeff'.repeat(3 * 1024 * 1024));
const gzip = { 'content-encoding': 'gzip' };
const ndjson = { 'content-type': 'application/x-ndjson' };

/** The size that fills a body of 64 KiB, the maximum of a definition. */
const definitionBytes = limits.definitionBytes - 1_000;

const lists = (base: string, parameters: Record<string, string> = {}): WorstCaseRequest[] => [
  { name: 'the largest page', path: path(base, { ...parameters, limit: String(limits.pageMax) }) },
  { name: 'a cursor of the largest size', path: path(base, { ...parameters, cursor: worstCursor }) },
];

/** Each condition over all events of the stream, or only over the worst event of the condition. */
const filters = (base: string, over: 'all' | 'worst' = 'all'): WorstCaseRequest[] => [
  ...hostileExpressions.map(({ name, where }, i) => ({
    name,
    path: path(base, {
      stream: costly.stream,
      ...(over === 'worst' && { event_type: `hostile-${i}` }),
      where,
    }),
  })),
  {
    name: 'long values of every filter',
    path: path(base, {
      stream: Array.from({ length: 20 }, (_, i) => `no-such-${i}`),
      event_type: Array.from({ length: 5 }, (_, i) => `${i}${emoji}`),
      entity_id: costly.entity,
      since: '1970-01-01T00:00:00.000000Z',
      until: '2099-12-31T23:59:59.999999Z',
    }),
  },
  {
    name: 'a wait for everything',
    path: path(base, { stream: costly.stream, wait_for: `${costly.stream}:0:0` }),
  },
];

const texts = (before: string, after = ''): WorstCaseRequest[] => [
  ...[...hostileTexts, 'a'.repeat(8_000)]
    .filter((text) => text !== '' && text !== '..')
    .map((text) => ({
      name: `the text ${JSON.stringify(text).slice(0, 20)}`,
      path: `${before}${encodeURIComponent(text)}${after}`,
    })),
];

const definitions = (before: object, after: object): WorstCaseRequest[] => [
  ...hostileJson.map(({ name, text }) => ({
    ...{ name, path: '' },
    body: `${JSON.stringify(before).slice(0, -1)},"more":${text(definitionBytes)}}`,
  })),
  { name: 'the largest that is valid', path: '', body: JSON.stringify({ ...before, ...after }) },
];

const at = (where: string, inputs: readonly WorstCaseRequest[]): WorstCaseRequest[] =>
  inputs.map((input) => ({ ...input, path: where }));

const expressionsAs = (definition: (where: string) => object): WorstCaseRequest[] =>
  hostileExpressions.map(({ name, where }) => ({ name, path: '', body: JSON.stringify(definition(where)) }));

/** As many patterns as fit into a definition of 64 KiB. */
const manyPatterns: WorstCaseRequest = {
  name: 'many patterns that are too large',
  path: '',
  body: JSON.stringify({
    stream: costly.stream,
    event_type: `${costly.unknown}-patterns`,
    schema: {
      properties: Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`p${i}`, { pattern: doubling + i }]),
      ),
    },
  }),
};

/** The largest body of a dry run is two mebibytes: each shape as data of an event, as an event, and as the definition. */
const hostileDryRuns = (): WorstCaseRequest[] => {
  const source = `"source":{"streams":["${costly.stream}"]}`;
  const definition = `{${source},"operators":[{"filter":"true"},${JSON.stringify(output[0])}]}`;
  const small = `{"stream":"${costly.stream}","event_type":"t","data":{}}`;
  return [
    ...oneInThree(hostileJson, 0).map(({ name, text }) => ({
      name: `two events of ${name}`,
      path: '',
      body: `{"definition":${definition},"events":[${event('t', text(mebibyte))},${event('t', text(mebibyte))}]}`,
    })),
    ...oneInThree(hostileJson, 1).map(({ name, text }) => ({
      name: `what is no event: ${name}`,
      path: '',
      body: `{"definition":${definition},"events":[${text(2 * mebibyte)}]}`,
    })),
    ...oneInThree(hostileJson, 2).map(({ name, text }) => ({
      name: `a definition of ${name}`,
      path: '',
      body: `{"definition":{${source},"operators":[${text(2 * mebibyte)}]},"events":[${small}]}`,
    })),
  ];
};

const dryRuns = (): WorstCaseRequest[] => [
  ...hostileDryRuns(),
  {
    name: 'a million events',
    path: '',
    body: `{"definition":{},"events":[${'0,'.repeat(1_000_000)}0]}`,
  },
  ...hostileExpressions.map(({ name, where, event }) => ({
    name,
    path: '',
    body: JSON.stringify({
      definition: { source: { streams: [costly.stream] }, operators: [{ filter: where }, ...output] },
      events: [{ stream: costly.stream, ...event }],
    }),
  })),
  {
    name: 'forty events and thirty nested loops',
    path: '',
    body: JSON.stringify({
      definition: {
        source: { streams: [costly.stream] },
        operators: [
          ...Array.from({ length: 30 }, () => ({
            filter: 'event.data.l.exists(x, event.data.l.exists(y, x + y == -1)) || true',
          })),
          ...output,
        ],
      },
      events: Array.from({ length: 40 }, () => ({
        stream: costly.stream,
        event_type: 't',
        data: { l: Array.from({ length: 200 }, (_, i) => i) },
      })),
    }),
  },
  {
    name: 'a hundred events of many elements each',
    path: '',
    body: JSON.stringify({
      definition: {
        source: { streams: [costly.stream] },
        operators: [
          { flat_map: { list: 'event.data.l', as: 'e' } },
          { window: { hopping: { size: '60s', every: '1s' }, key: 'string(event.data.e)', lateness: '1s' } },
          { reduce: { n: { op: 'count' } } },
          ...output,
        ],
      },
      events: Array.from({ length: 100 }, () => ({
        stream: costly.stream,
        event_type: 't',
        data: { l: Array.from({ length: 1_000 }, (_, i) => i) },
      })),
    }),
  },
];

/** Returns the most expensive events for the conditions of open streams. */
export const streamedEvents = (): string[] =>
  hostileExpressions.map(({ event: { data } }, i) => event(`hostile-${i}`, JSON.stringify(data)));

const event = (type: string, data: string): string =>
  `{"stream":"${costly.stream}","event_type":${JSON.stringify(type)},"data":${data}}`;
const mebibyte = limits.eventBytes - 1_000;

const longList = (): object => ({ l: Array.from({ length: 150_000 }, (_, i) => i) });
const manyMembers = (): string => `{${Array.from({ length: 40_000 }, (_, i) => `"n${i}":1`).join()}}`;

const singleEvents = (): WorstCaseRequest[] => [
  ...hostileJson.map(({ name, text }) => ({ name, path: '', body: event('shape', text(mebibyte)) })),
  ...hostileExpressions.map(({ name, event: { data } }, i) => ({
    ...{ name, path: '' },
    body: event(`hostile-${i}`, JSON.stringify(data)),
  })),
  ...hostilePatterns.map(({ name, text }, i) => ({
    ...{ name, path: '' },
    body: event(`pattern-${i}`, JSON.stringify({ t: text })),
  })),
  ...hostileTexts.map((text) => ({
    name: `the text ${JSON.stringify(text).slice(0, 20)}`,
    path: '',
    body: JSON.stringify({ stream: costly.stream, event_type: 'text', entity_id: text, data: { text } }),
  })),
  {
    name: 'a list for a schema of 300 contains',
    path: '',
    body: event(costly.contains, JSON.stringify(longList())),
  },
  {
    name: 'many members for a schema of nested branches',
    path: '',
    body: event(costly.branches, manyMembers()),
  },
];

const batches = (): WorstCaseRequest[] => {
  const small = event('small', '{"a":1}');
  const most = Array.from({ length: limits.batchEvents }, () => small);
  const large = hostileJson.map(({ text }) => event('shape', text(900_000)));
  return [
    { name: 'ten thousand events', path: '', body: `{"events":[${most.join()}]}` },
    { name: 'ten thousand lines', path: '', body: most.join('\n'), headers: ndjson },
    { name: 'sixteen mebibytes of every shape', path: '', body: `{"events":[${large.slice(0, 16).join()}]}` },
    { name: 'a million events', path: '', body: `{"events":[${'{},'.repeat(1_000_000)}{}]}` },
    { name: 'a million lines', path: '', body: '{}\n'.repeat(1_000_000), headers: ndjson },
    {
      name: 'sixteen million empty lines',
      path: '',
      body: '\n'.repeat(limits.requestBytes),
      headers: ndjson,
    },
    { name: 'lines of byte-order marks', path: '', body: markedLines, headers: { ...ndjson, ...gzip } },
    {
      name: 'ten thousand events that are all refused',
      path: '',
      body: `{"events":[${Array.from({ length: 10_000 }, () => '{"stream":"../","event_type":"","data":1,"x":2}').join()}]}`,
    },
    {
      name: 'ten lists for a schema of 300 contains',
      path: '',
      body: `{"events":[${Array.from({ length: 10 }, () => event(costly.contains, JSON.stringify({ l: Array.from({ length: 150_000 }, (_, i) => i) }))).join()}]}`,
    },
    {
      name: 'every text of every pattern',
      path: '',
      body: `{"events":[${hostilePatterns.map(({ text }, i) => event(`pattern-${i}`, JSON.stringify({ t: text }))).join()}]}`,
    },
  ];
};

const intake = `/api/v1/streams/${costly.stream}`;
const plainText = { 'content-type': 'text/plain' };

const rawBodies = (): WorstCaseRequest[] => [
  ...oneInThree(hostileJson, 1).map(({ name, text }) => ({ name, path: '', body: text(mebibyte) })),
  { name: 'a million tiny values', path: '', body: `[${'1,'.repeat(1_000_000)}1]` },
  { name: 'a million tiny lines', path: '', body: '1\n'.repeat(1_000_000), headers: ndjson },
  { name: 'sixteen million empty lines', path: '', body: '\n'.repeat(limits.requestBytes), headers: ndjson },
  { name: 'lines of byte-order marks', path: '', body: markedLines, headers: { ...ndjson, ...gzip } },
  { name: 'byte-order marks that are no lines', path: '', body: markedLines, headers: gzip },
  { name: 'one long line', path: '', body: `"${'x'.repeat(limits.requestBytes - 10)}"`, headers: ndjson },
];

const cloudEvents = (): WorstCaseRequest[] => {
  const headersOf = (form: string) => ({ 'content-type': `application/${form}+json` });
  const before = '{"specversion":"1.0","id":"a","source":"/s","type":"t","data":';
  return [
    ...oneInThree(hostileJson, 2).map(({ name, text }) => ({
      ...{ name, path: '' },
      ...{ body: `${before}${text(mebibyte)}}`, headers: headersOf('cloudevents') },
    })),
    {
      name: 'ten thousand in a batch',
      path: '',
      body: `[${Array.from({ length: 10_000 }, (_, i) => `${before.replace('"a"', `"${i}"`)}1}`).join()}]`,
      headers: headersOf('cloudevents-batch'),
    },
  ];
};

interface Statement {
  name: string;
  sql: string;
}

const statements = (): Statement[] => [
  { name: 'every event', sql: `SELECT * FROM events WHERE stream = '${costly.stream}'` },
  { name: 'a sort of everything', sql: 'SELECT data FROM events ORDER BY cityHash64(data) LIMIT 1' },
  {
    // Of no stream: 100 scans of all events with FINAL may exceed ClickHouse's limits while the answer is being sent, if it
    // has not merged their parts yet.
    name: 'many unions',
    sql: Array.from({ length: 100 }, () => "SELECT count() FROM events WHERE stream = 'none'").join(
      ' UNION ALL ',
    ),
  },
  { name: 'a deep expression', sql: `SELECT ${'('.repeat(400)}1${')'.repeat(400)}` },
  { name: 'a long list', sql: `SELECT 1 IN (${Array.from({ length: 1_000 }, (_, i) => i).join()})` },
];

/** Expressions whose syntax tree, or whose error, is costly to check: deep, wide, both, or with texts that repeat. */
const syntaxTrees = (): Statement[] => {
  const nested = ([open, close = ')']: [open: string, close?: string], depth: number, inner: string) =>
    `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
  const many = (count: number, one: (n: number) => string) => Array.from({ length: count }, (_, n) => one(n));
  const wide = many(8_000, () => 'stream').join();
  const expressions = [
    { name: 'nested calls', text: nested(['lower('], 450, 'stream') },
    { name: 'a long list in nested calls', text: nested(['tuple('], 450, wide) },
    { name: 'nested calls of IN', text: nested(['in(1, '], 450, wide) },
    { name: 'nested calls that compare arrays', text: nested(['hasAny([1], '], 450, '[1]') },
    { name: 'nested arrays', text: nested(['[', ']'], 450, '1') },
    { name: 'nested subqueries', text: nested(['(SELECT '], 90, wide) },
    { name: 'nested conditions', text: nested(['CASE WHEN 1 THEN ', ' ELSE 0 END'], 400, '1') },
    { name: 'nested lambdas', text: nested(['arrayMap(x -> ', ', [1])'], 200, 'x') },
    { name: 'nested casts', text: nested(['CAST(', ", 'UInt8')"], 450, '1') },
    { name: 'nested windows', text: nested(['sum(1) OVER (ORDER BY '], 200, '1') },
    { name: 'a long sum', text: many(8_000, () => 'offset').join(' + ') },
    { name: 'many IN of aliases', text: many(6_000, (n) => `a${n} AS a${n + 1}, 1 IN a${n}`).join() },
    { name: 'many lambdas with names', text: many(5_000, (n) => `f${n}(1)`).join() },
    { name: 'a long name', text: `a${'.a'.repeat(60_000)}` },
    { name: 'a name of aliases', text: `\`${' (alias a'.repeat(12_000)}\`` },
    { name: 'a name of children', text: `\`${' (children 1'.repeat(9_000)}\`` },
    { name: 'spaces in an error', text: `unknown, '${' '.repeat(120_000)}'` },
    { name: 'suggestions in an error', text: `unknown, '${'Maybe you meant '.repeat(8_000)}'` },
    { name: 'a long text', text: `'${"x\\'".repeat(40_000)}'` },
    { name: 'a long comment', text: `1 /* ${'*'.repeat(120_000)} */` },
    {
      name: 'nested calls about tables',
      text: `(SELECT count() FROM system.tables WHERE ${nested(['lower('], 450, 'name')} = '')`,
    },
  ];
  return expressions.map(({ name, text }) => ({ name, sql: `SELECT ${text} FROM events LIMIT 1` }));
};

const sqlAt = (address: string, all: readonly Statement[]) => ({
  [`get ${address}`]: () =>
    all
      .map(({ name, sql }) => ({ name, path: path(address, { query: sql }) }))
      // A longer URL is rejected before anything reads the statement.
      .filter((request) => request.path.length < 12_000),
  [`post ${address}`]: () =>
    all.map(({ name, sql }) => ({ name, path: address, body: sql, headers: plainText })),
});

const wideSchema = (type: string): object => ({
  ...{ stream: costly.stream, event_type: type, compatibility: 'full_transitive' },
  schema: {
    type: 'object',
    anyOf: Array.from({ length: 150 }, (_, i) => ({
      properties: { [`m${i}`]: { type: 'object', additionalProperties: { enum: [i, `e${i}`, null] } } },
      required: [`m${i % 7}`],
    })),
  },
});

const schemas = (type: string): WorstCaseRequest[] => [
  ...definitions({ stream: costly.stream, event_type: type }, wideSchema(type)),
  ...hostileJson.map(({ name, text }) => ({
    name: `a schema of ${name}`,
    path: '',
    body: `{"stream":"${costly.stream}","event_type":"${type}","schema":${text(definitionBytes)}}`,
  })),
  ...hostilePatterns.map(({ name, pattern }) => ({
    name: `the pattern: ${name}`,
    path: '',
    body: JSON.stringify({
      stream: costly.stream,
      event_type: `${type}-pattern`,
      compatibility: 'none',
      schema: { properties: { t: { pattern } }, patternProperties: { [pattern]: true } },
    }),
  })),
  manyPatterns,
  {
    name: 'references that multiply',
    path: '',
    body: JSON.stringify({
      stream: costly.stream,
      event_type: `${type}-references`,
      schema: {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [
            `d${i}`,
            i === 39
              ? { type: 'string' }
              : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
          ]),
        ),
      },
    }),
  },
];

const validations = (): WorstCaseRequest[] => {
  const base = `/api/v1/schemas/${costly.stream}`;
  return [
    ...([costly.contains, costly.branches] as const).flatMap((type, i) =>
      oneInThree(hostileJson, i === 0 ? 0 : 1).map(({ name, text }) => ({
        ...{ name: `${name} for the schema ${type}`, path: `${base}/${type}/validate` },
        body: text(limits.eventBytes - 100),
      })),
    ),
    ...hostilePatterns.map(({ name, text }, i) => ({
      ...{ name, path: `${base}/pattern-${i}/validate` },
      body: JSON.stringify({ t: text }),
    })),
    {
      name: 'a list for a schema of 300 contains',
      path: `${base}/${costly.contains}/validate`,
      body: JSON.stringify(longList()),
    },
    {
      name: 'many members for a schema of nested branches',
      path: `${base}/${costly.branches}/validate`,
      body: manyMembers(),
    },
  ];
};

const projectionOf = (where: string): object => ({
  name: costly.unknown,
  source: { streams: [costly.stream], where },
  key: where.length < 4000 ? `string(${where})` : where,
  fields: Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `f${i}`,
      { op: 'sum', value: where.length < 4000 ? `(${where}) ? 1 : 0` : where },
    ]),
  ),
});

const projections = (): WorstCaseRequest[] => [
  ...definitions(
    { name: costly.unknown, source: { streams: [costly.unknown] } },
    { fields: { n: { op: 'count' } } },
  ),
  ...expressionsAs((where) => ({ ...projectionOf(where), source: { streams: [costly.unknown], where } })),
];

const pipelines = (): WorstCaseRequest[] => [
  ...definitions(
    { name: costly.unknown, source: { streams: [costly.unknown] } },
    { operators: [{ filter: 'true' }] },
  ),
  ...expressionsAs((where) => ({
    name: costly.unknown,
    source: { streams: [costly.unknown], where },
    operators: [
      { filter: where },
      { map: { data: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`m${i}`, where])) } },
      {
        branch: Array.from({ length: 10 }, () => ({
          when: where,
          operators: [{ filter: where }, ...output],
        })),
      },
    ],
  })),
  {
    name: 'branches in branches',
    path: '',
    body: `{"name":"${costly.unknown}","source":{"streams":["x"]},"operators":[${'{"branch":[{"when":"true","operators":['.repeat(15)}${JSON.stringify(output[0])}${']}]}'.repeat(15)}]}`,
  },
];

const subscriptions = (): WorstCaseRequest[] => [
  // First, because the log is asked only for a new subscription.
  {
    name: 'a start long ago in the largest stream',
    path: '',
    body: JSON.stringify({ source: { streams: [costly.stream] }, from: '1900-01-01T00:00:00Z' }),
  },
  ...definitions({ source: { streams: [costly.unknown] } }, { ack_within: '1m' }),
  ...expressionsAs((where) => ({ source: { streams: [costly.unknown], where } })),
];

const tokens = (): WorstCaseRequest[] => [
  ...definitions({ ack: ['x'] }, {}),
  {
    name: 'ten thousand long tokens',
    path: '',
    body: JSON.stringify({ ack: Array.from({ length: 10_000 }, (_, i) => `${i}${'A'.repeat(390)}`) }),
  },
];

const parked = (): WorstCaseRequest[] => [
  ...definitions({ ids: ['x'] }, {}),
  {
    name: 'a thousand ids of events that are not parked',
    path: '',
    body: JSON.stringify({ ids: Array.from({ length: 1_000 }, (_, i) => `${costly.stream}:0:${i}`) }),
  },
];

const headers = (where: string): WorstCaseRequest[] =>
  hostileHeaders.map(({ name, headers }) => ({ name, path: where, headers }));

const one = (where: string): WorstCaseRequest[] => [{ name: 'the largest there is', path: where }];

/**
 * The worst known inputs for every endpoint of the API, in the order in which they are sent: first writes, then
 * reads, and deletions last. The suite fails for a new endpoint until its worst-case requests are added here.
 */
export const worstCaseRequests: Readonly<Record<string, () => WorstCaseRequest[]>> = {
  'post /api/v1/streams': () => [
    ...at('/api/v1/streams', definitions({ stream: costly.unknown }, { partitions: 1 })),
    ...hostileTexts.map((stream) => ({
      name: `the text ${JSON.stringify(stream).slice(0, 20)}`,
      path: '/api/v1/streams',
      body: JSON.stringify({ stream: `${stream}/` }),
    })),
  ],
  'patch /api/v1/streams/{stream}': () =>
    at(`/api/v1/streams/${costly.stream}`, definitions({ retention: 'unlimited' }, { snapshot_every: 1 })),
  'post /api/v1/schemas': () => at('/api/v1/schemas', schemas('wide')),
  'post /api/v1/schemas/{stream}/{event_type}/check': () =>
    at(`/api/v1/schemas/${costly.stream}/${costly.contains}/check`, schemas('wide')).map((input) => ({
      ...input,
      body: JSON.stringify({
        schema: (JSON.parse(String(input.body ?? '{}')) as { schema?: unknown }).schema ?? true,
      }),
    })),
  'post /api/v1/schemas/{stream}/{event_type}/validate': () => validations(),
  'post /api/v1/projections': () => at('/api/v1/projections', projections()),
  'put /api/v1/projections/{name}': () => at(`/api/v1/projections/${costly.unknown}`, projections()),
  'post /api/v1/pipelines': () => at('/api/v1/pipelines', pipelines()),
  'put /api/v1/pipelines/{name}': () => at(`/api/v1/pipelines/${costly.unknown}`, pipelines()),
  'post /api/v1/pipelines/dry-run': () => at('/api/v1/pipelines/dry-run', dryRuns()),
  'put /api/v1/subscriptions/{name}': () =>
    at(`/api/v1/subscriptions/${costly.subscription}`, subscriptions()),
  'post /api/v1/events': () => at('/api/v1/events', singleEvents()),
  'post /api/v1/events/batch': () => [
    ...at('/api/v1/events/batch', batches()),
    ...at('/api/v1/events/batch?atomic=true', batches().slice(0, testsAll ? 2 : 1)),
  ],
  'post /api/v1/streams/{stream}/raw': () => at(`${intake}/raw?event_type=/t&entity_id=/e`, rawBodies()),
  'post /api/v1/streams/{stream}/cloudevents': () => at(`${intake}/cloudevents`, cloudEvents()),
  // A stream of its own: the logs would make every export of the other one take longer.
  'post /v1/logs': () => at('/v1/logs?stream=costly-logs', costlyLogs()),
  'post /api/v1/keys': () => [
    ...at('/api/v1/keys', definitions({ name: 'k', scopes: ['events:read'] }, {})),
    {
      name: 'a hundred patterns of streams',
      path: '/api/v1/keys',
      body: JSON.stringify({
        name: 'worst',
        scopes: ['events:read'],
        streams: Array.from({ length: 100 }, (_, i) => `${'a'.repeat(190)}${i}*`),
      }),
    },
  ],
  'post /api/v1/keys/{key_id}/rotate': () =>
    at(`/api/v1/keys/${costly.unknown}/rotate`, definitions({ overlap: '1s' }, {})),
  'post /api/v1/snapshots': () =>
    at('/api/v1/snapshots', definitions({ stream: costly.stream, entity_id: costly.entity }, {})),
  'get /api/v1/events/query': () => [
    ...lists('/api/v1/events/query', { stream: costly.stream }),
    ...lists('/api/v1/events/query', { stream: costly.stream, order: 'desc' }),
    {
      name: 'the largest page as CSV',
      path: path('/api/v1/events/query', { stream: costly.stream, limit: '10000' }),
      headers: { accept: 'text/csv' },
    },
    ...filters('/api/v1/events/query', testsAll ? 'all' : 'worst'),
    ...headers(path('/api/v1/events/query', { stream: costly.stream, limit: '1' })),
  ],
  'get /api/v1/events/export': () => [
    ...['ndjson', 'csv', 'parquet', 'arrow'].map((format) => ({
      name: `everything as ${format}`,
      path: path('/api/v1/events/export', { stream: costly.stream, format }),
    })),
    // Over all events, some conditions reach ClickHouse's limit of 20 s for a page, and the export asks twice: this would take
    // as long as all other inputs together. Counts do the same once. Over the worst events, queries do.
    ...oneInThree(filters('/api/v1/events/export', testsAll ? 'all' : 'worst'), 0),
  ],
  ...sqlAt('/', [...statements(), ...syntaxTrees()]),
  // The same methods of the same controller.
  ...sqlAt('/clickhouse', testsAll ? statements() : statements().slice(0, 1)),
  'get /ping': () => headers('/ping'),
  'get /clickhouse/ping': () => headers('/clickhouse/ping'),
  'get /api/v1/events/count': () => [
    { name: 'groups', path: path('/api/v1/events/count', { group_by: 'event_type', interval: '1s' }) },
    ...filters('/api/v1/events/count'),
    {
      name: 'quantiles of a group for each event',
      path: path('/api/v1/events/count', {
        quantile: Array.from({ length: 16 }, (_, i) => `0.${i + 10}`),
        value: 'event.offset * event.offset / 7 + event.offset',
        group_by: 'event_type',
        interval: '1s',
      }),
    },
  ],
  'get /api/v1/events/stream': () =>
    hostileExpressions.map(({ name, where }, i) => ({
      name,
      path: path('/api/v1/events/stream', { stream: costly.stream, event_type: `hostile-${i}`, where }),
    })),
  'get /api/v1/events/{event_id}': () => texts('/api/v1/events/'),
  'get /api/v1/streams': () => lists('/api/v1/streams'),
  'get /api/v1/streams/{stream}': () => texts('/api/v1/streams/'),
  'get /api/v1/entities': () => lists('/api/v1/entities', { stream: costly.stream }),
  'get /api/v1/entities/{entity_id}/state': () => [
    ...one(`/api/v1/entities/${costly.entity}/state?stream=${costly.stream}`),
    ...one(`/api/v1/entities/${costly.entity}/state?stream=${costly.stream}&as_of=2099-01-01T00:00:00Z`),
    ...['', '&as_of=2099-01-01T00:00:00Z'].map((at) => ({
      name: 'small events on a state that is nearly full',
      path: `/api/v1/entities/${costly.full.entity}/state?stream=${costly.full.stream}${at}`,
    })),
    ...texts('/api/v1/entities/', `/state?stream=${costly.stream}`),
  ],
  'get /api/v1/snapshots': () => lists('/api/v1/snapshots'),
  'get /api/v1/dead-letters': () => lists('/api/v1/dead-letters'),
  'post /api/v1/dead-letters/replay': () => [
    {
      name: 'five hundred long ids',
      path: '/api/v1/dead-letters/replay?dry_run=true',
      body: JSON.stringify({ ids: Array.from({ length: 500 }, (_, i) => `${i}${'A'.repeat(100)}`) }),
    },
    {
      name: 'all that the pipeline gave up on',
      path: '/api/v1/dead-letters/replay?dry_run=true',
      body: JSON.stringify({ source: `pipeline:${costly.pipeline}` }),
    },
    {
      name: 'a cursor of the largest size',
      path: '/api/v1/dead-letters/replay?dry_run=true',
      body: JSON.stringify({ source: 'materializer', cursor: worstCursor }),
    },
    ...at('/api/v1/dead-letters/replay', definitions({ source: 'materializer' }, {})),
  ],
  'get /api/v1/keys': () => lists('/api/v1/keys'),
  'get /api/v1/keys/{key_id}': () => texts('/api/v1/keys/'),
  'get /api/v1/schemas': () => lists('/api/v1/schemas'),
  'get /api/v1/schemas/{stream}/{event_type}': () => [
    ...one(`/api/v1/schemas/${costly.stream}/${costly.contains}`),
    ...texts(`/api/v1/schemas/${costly.stream}/`),
  ],
  'get /api/v1/schemas/{stream}/{event_type}/versions': () =>
    lists(`/api/v1/schemas/${costly.stream}/${costly.contains}/versions`),
  'get /api/v1/schemas/{stream}/{event_type}/versions/{version}': () =>
    texts(`/api/v1/schemas/${costly.stream}/${costly.contains}/versions/`),
  'get /api/v1/projections': () => lists('/api/v1/projections'),
  'get /api/v1/projections/{name}': () => [
    ...one(`/api/v1/projections/${costly.projection}`),
    ...texts('/api/v1/projections/'),
  ],
  'get /api/v1/projections/{name}/state': () => [
    ...lists(`/api/v1/projections/${costly.projection}/state`),
    ...lists(`/api/v1/projections/${costly.projection}/state`, { order_by: 'f0', order: 'desc' }),
    ...texts(`/api/v1/projections/${costly.projection}/state?prefix=`),
  ],
  'get /api/v1/projections/{name}/state/{key}': () =>
    texts(`/api/v1/projections/${costly.projection}/state/`),
  'get /api/v1/projections/{name}/changes': () =>
    one(`/api/v1/projections/${costly.projection}/changes?snapshot=true`),
  'get /api/v1/pipelines': () => lists('/api/v1/pipelines'),
  'get /api/v1/pipelines/{name}': () => [
    ...one(`/api/v1/pipelines/${costly.pipeline}`),
    ...texts('/api/v1/pipelines/'),
  ],
  'get /api/v1/subscriptions': () => lists('/api/v1/subscriptions'),
  'get /api/v1/subscriptions/{name}': () => [
    ...one(`/api/v1/subscriptions/${costly.subscription}`),
    ...texts('/api/v1/subscriptions/'),
  ],
  'get /api/v1/health-history': () => one('/api/v1/health-history'),
  'get /api/v1/job-history': () => [
    ...lists('/api/v1/job-history', { span: '1d' }),
    ...texts('/api/v1/job-history?job='),
  ],
  'post /api/v1/scrubs': () => one('/api/v1/scrubs'),
  'get /api/v1/scrubs/{scrub_id}': () => one('/api/v1/scrubs/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11'),
  'get /health': () => headers('/health'),
  'get /health/live': () => headers('/health/live'),
  'get /health/ready': () => headers('/health/ready'),
  'get /metrics': () => headers('/metrics'),
  'post /api/v1/projections/{name}/pause': () => one(`/api/v1/projections/${costly.projection}/pause`),
  'post /api/v1/projections/{name}/resume': () => one(`/api/v1/projections/${costly.projection}/resume`),
  'post /api/v1/projections/{name}/reset': () => one(`/api/v1/projections/${costly.projection}/reset`),
  'post /api/v1/pipelines/{name}/pause': () => one(`/api/v1/pipelines/${costly.pipeline}/pause`),
  'post /api/v1/pipelines/{name}/resume': () => one(`/api/v1/pipelines/${costly.pipeline}/resume`),
  'post /api/v1/pipelines/{name}/reset': () => one(`/api/v1/pipelines/${costly.pipeline}/reset`),
  'post /api/v1/subscriptions/{name}/receive': () =>
    at(`/api/v1/subscriptions/${costly.subscription}/receive`, definitions({ max: 1_000 }, { wait: '1s' })),
  'post /api/v1/subscriptions/{name}/ack': () =>
    at(`/api/v1/subscriptions/${costly.subscription}/ack`, tokens()),
  'get /api/v1/subscriptions/{name}/parked': () =>
    lists(`/api/v1/subscriptions/${costly.subscription}/parked`),
  'post /api/v1/subscriptions/{name}/parked/replay': () =>
    at(`/api/v1/subscriptions/${costly.subscription}/parked/replay`, parked()),
  'post /api/v1/subscriptions/{name}/parked/discard': () =>
    at(`/api/v1/subscriptions/${costly.subscription}/parked/discard`, parked()),
  'post /api/v1/subscriptions/{name}/seek': () =>
    at(`/api/v1/subscriptions/${costly.subscription}/seek`, definitions({ to: 'beginning' }, {})),
  'post /api/v1/subscriptions/{name}/pause': () => one(`/api/v1/subscriptions/${costly.subscription}/pause`),
  'post /api/v1/subscriptions/{name}/resume': () =>
    one(`/api/v1/subscriptions/${costly.subscription}/resume`),
  'delete /api/v1/subscriptions/{name}': () => one(`/api/v1/subscriptions/${costly.subscription}`),
  'delete /api/v1/projections/{name}': () => one(`/api/v1/projections/${costly.projection}`),
  'delete /api/v1/pipelines/{name}': () => one(`/api/v1/pipelines/${costly.pipeline}`),
  'delete /api/v1/schemas/{stream}/{event_type}': () =>
    one(`/api/v1/schemas/${costly.stream}/${costly.contains}`),
  'delete /api/v1/keys/{key_id}': () => texts('/api/v1/keys/'),
  'delete /api/v1/entities/{entity_id}': () =>
    one(`/api/v1/entities/${costly.entity}?stream=${costly.stream}&confirm=${costly.entity}`),
  'delete /api/v1/streams/{stream}': () => one(`/api/v1/streams/${costly.stream}?confirm=${costly.stream}`),
};
