import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppConfig, loadConfig } from '#api';
import { createLogger } from '../logger.js';
import { openTracing } from './open-tracing.js';
import { samplerOf } from './otlp-tracing.js';
import type { Tracing } from './tracing.js';

interface Received {
  path: string | undefined;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

let received: Received[];
let collector: Server;
let lines: string[];
let status: number;

beforeEach(async () => {
  [received, lines, status] = [[], [], 200];
  collector = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
});

afterEach(() => new Promise((resolve) => collector.close(resolve)));

function open(env: Record<string, string>): Promise<Tracing | undefined> {
  const config = loadConfig(AppConfig, { OTEL_TRACES_SAMPLER: 'always_on', ...env });
  const logger = createLogger({ name: 'spec' }, { write: (line: string) => void lines.push(line) });
  return openTracing({ name: 'ingest', version: '1.2.3', config, logger });
}

const endpoint = (): string => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

it('is off without an endpoint, and if it is disabled', async () => {
  expect(await open({})).toBeUndefined();
  expect(await open({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
});

it('exports spans as JSON, with the configured headers and the name of the app', async () => {
  const tracing = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint()}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x-scope-orgid=team',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  tracing!.start('one', { attributes: { a: 1 } }).end();
  await tracing!.close();
  expect(received).toMatchObject([
    { path: '/base/v1/traces', headers: { 'api-key': 'a b', 'x-scope-orgid': 'team' } },
  ]);
  const { resourceSpans } = JSON.parse(received[0]!.body.toString()) as {
    resourceSpans: { resource: { attributes: unknown[] }; scopeSpans: { spans: object[] }[] }[];
  };
  expect(resourceSpans[0]!.resource.attributes).toEqual(
    expect.arrayContaining([
      { key: 'service.name', value: { stringValue: 'tributary-ingest' } },
      { key: 'service.version', value: { stringValue: '1.2.3' } },
    ]),
  );
  expect(resourceSpans[0]!.scopeSpans[0]!.spans).toMatchObject([{ name: 'one' }]);
});

it('exports spans as protobuf by default, with the configured service name', async () => {
  const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_SERVICE_NAME: 'edge' });
  tracing!.start('one').end();
  await tracing!.close();
  expect(received).toMatchObject([
    { path: '/v1/traces', headers: { 'content-type': 'application/x-protobuf' } },
  ]);
  for (const text of ['one', 'edge']) expect(received[0]!.body.includes(text)).toBe(true);
});

it('drops spans that the collector does not accept or that exceed the queue, and logs it once', async () => {
  status = 400;
  const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() });
  for (let i = 0; i < 5000; i++) tracing!.start('one').end();
  await tracing!.close();
  expect(received.length).toBeGreaterThan(1);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 'warn', spans: 512 }]);
});

describe('the samplers', () => {
  const decided = (name: string, share: string, parent?: string): Promise<boolean> =>
    open({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: share,
    }).then((tracing) => tracing!.start('one', { parent }).recording);
  const parent = (flags: string): string => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`;

  it.each([
    ['always_on', '0', [true, true, true]],
    ['always_off', '1', [false, false, false]],
    ['traceidratio', '1', [true, true, true]],
    ['traceidratio', '0', [false, false, false]],
    ['parentbased_always_on', '0', [true, true, false]],
    ['parentbased_always_off', '1', [false, true, false]],
    ['parentbased_traceidratio', '1', [true, true, false]],
    ['parentbased_traceidratio', '0', [false, true, false]],
  ])(
    '%s at %s decides without a parent, below a sampled one, and below one that is not sampled',
    async (name, share, expected) => {
      const parents = [undefined, parent('01'), parent('00')];
      expect(await Promise.all(parents.map((one) => decided(name, share, one)))).toEqual(expected);
    },
  );

  it('record one of a hundred traces by default', async () => {
    const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share } = loadConfig(AppConfig, {});
    expect(samplerOf(name, share).toString()).toContain('TraceIdRatioBased{0.01}');
  });
});
