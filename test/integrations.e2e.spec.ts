import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testEngines, until } from '#testkit';
import { freshStream, path } from './api.js';
import { makeTopic } from './topics.js';
import { useSharedStack } from './use-stack.js';

const {
  TEST_OTEL_PYTHON: python = '',
  TEST_OTEL_COLLECTOR: collector = '',
  TEST_OTEL_GO: goExporter = '',
  TEST_OTEL_JAVA: java = '',
  TEST_OTEL_JAVASCRIPT: javascript = '',
  TEST_KCAT: kcat = '',
  TEST_RSYSLOGD: rsyslogd = '',
} = process.env;

const system = useSharedStack();
const folder = mkdtempSync(join(tmpdir(), 'integrations-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  await Promise.all(children.map(stop));
  rmSync(folder, { recursive: true, force: true });
});

interface FoundEvent {
  event_type: string;
  entity_id: string | null;
  timestamp: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** Returns the nth block in this language of a page, adapted to this system and this stream. */
function block(
  page: string,
  { language, at = 0 }: { language: string; at?: number },
  stream: string,
): string {
  const text = readFileSync(join('docs', 'integrations', page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language);
  return blocks[at]![2]!.replaceAll('http://127.0.0.1:3900', system().urls.core)
    .replaceAll('127.0.0.1:9092', testEngines().kafkaBrokers)
    .replaceAll('shop-logs', stream)
    .replaceAll('/streams/clicks/', `/streams/${stream}/`)
    .replaceAll('/streams/syslog/', `/streams/${stream}/`);
}

/** Returns the events of the stream when it has this number of them. */
async function eventsOf(stream: string, count: number): Promise<FoundEvent[]> {
  let found: FoundEvent[] = [];
  const read = async () => {
    const answer = await system().core.get(
      path('/api/v1/events/query', { stream, order: 'asc', limit: '1000' }),
    );
    found = answer.status === 200 ? answer.json<{ events: FoundEvent[] }>().events : [];
    return found.length >= count;
  };
  await until(read, { what: `${count} events in ${stream}`, intervalMs: 200 });
  return found;
}

function start(program: string, parameters: string[]): ChildProcess {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listens(port: number): Promise<void> {
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
  await until(isOpen, { what: `a listener on ${port}`, intervalMs: 100 });
}

/** Returns the variables of the page. */
function exporterVariables(stream: string): Record<string, string> {
  const text = block('opentelemetry.md', { language: 'sh' }, stream);
  const lines = [...text.matchAll(/^export (\w+)='?([^'\n]*)'?$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name!, value!]));
}

/** Runs the script of the page, with the variables of the page and these. */
function exportLogs(stream: string, more: Record<string, string> = {}): void {
  const script = block('opentelemetry.md', { language: 'python' }, stream);
  const env = { ...process.env, ...exporterVariables(stream), ...more };
  const { status, stderr } = spawnSync(python, ['-c', script], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

const placed = {
  event_type: 'log',
  data: expect.objectContaining({ body: 'order 17 placed', order: 17, total: 12.5 }) as object,
  metadata: expect.objectContaining({
    ...{ 'resource.service.name': 'shop', 'scope.name': 'cart', severity_text: 'WARN' },
  }) as object,
};

const exporters = join('test', 'integrations', 'exporters');
const bytes = { bytes: 'AAH/' };
const half = 'a\ufffd';
interface OddLogs {
  name: string;
  program: string;
  parameters: string[];
  /** The values that only this exporter sends. */
  more: object;
  stream?: string;
}

const allOddLogs: readonly OddLogs[] = [
  { name: 'Python', program: python, parameters: [join(exporters, 'python.py')], more: bytes },
  {
    ...{ name: 'Go', program: goExporter, parameters: [] },
    // This exporter drops the query of the endpoint, so it cannot name a stream.
    stream: 'logs',
    more: { ...bytes, twice: 'last', inner: { twice: 2 } },
  },
  {
    ...{ name: 'Java', program: java && 'java', parameters: ['-cp', `${java}:${join(java, '*')}`, 'Odd'] },
    more: { body: { list: [1, 'a'], map: {}, ...bytes, twice: 'last' } },
  },
  ...['json', 'protobuf'].map((encoding) => ({
    ...{ name: `JavaScript as ${encoding}`, program: javascript && process.execPath },
    parameters: [join(javascript, 'odd.mjs'), encoding],
    more: { ...bytes, integer: 17, large: 2 ** 53, half },
  })),
];
const oddLogs = allOddLogs.filter(({ program }) => program !== '');

describe('docs/integrations', () => {
  it.each(oddLogs)(
    'OpenTelemetry: the exporter for $name writes every kind of value',
    async ({ program, parameters, more, stream = freshStream() }) => {
      const env = { ...process.env, ...exporterVariables(stream) };
      const { status, stderr } = spawnSync(program, parameters, { env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const found = await eventsOf(stream, 2);
      expect(found.find(({ event_type }) => event_type === 'empty')?.metadata).not.toHaveProperty('trace_id');
      expect(found.find(({ event_type }) => event_type === 'log')).toMatchObject({
        timestamp: '2026-11-18T11:06:40.123456Z',
        data: {
          ...{ text: 'Žluťoučký 😀\0', integer: 2 ** 63, double: 12.5, boolean: false, list: ['a', 'b'] },
          body: { list: [1, null, 'a'], map: {} },
          ...more,
        },
        metadata: { severity_number: 13, severity_text: 'WARN', time_unix_nano: '1795000000123456789' },
      });
    },
  );

  it.runIf(python)('OpenTelemetry: the SDK for Python writes logs', async () => {
    const stream = freshStream();
    exportLogs(stream);
    expect(await eventsOf(stream, 1)).toMatchObject([placed]);
  });

  it.runIf(python && collector)('OpenTelemetry: the Collector forwards logs', async () => {
    const [stream, port] = [freshStream(), await freePort()];
    const file = join(folder, 'collector.yaml');
    const config = block('opentelemetry.md', { language: 'yaml' }, stream);
    writeFileSync(file, config.replace('127.0.0.1:4318', `127.0.0.1:${port}`));
    start(collector, ['--config', file]);
    await listens(port);
    exportLogs(stream, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${port}/v1/logs` });
    expect(await eventsOf(stream, 1)).toMatchObject([placed]);
  });

  it.runIf(kcat)('kcat: the records of a topic become events, once', async () => {
    const [stream, topic] = [freshStream(), `clicks-${freshStream()}`];
    const clicks = [1, 2, 3].map((id) => JSON.stringify({ kind: 'click', id, user: 'ann' })).join('\n');
    await makeTopic(system(), topic);
    const produced = spawnSync(kcat, ['-P', '-b', testEngines().kafkaBrokers, '-t', topic], {
      input: clicks,
    });
    expect(produced.status, String(produced.stderr)).toBe(0);
    const command = block('kcat.md', { language: 'sh' }, stream).replace('-t clicks', `-t ${topic}`);
    for (const _ of [1, 2]) {
      const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    }
    const marker = await system().write.post(`/api/v1/streams/${stream}/raw?event_type=end`, {});
    expect(marker.status, marker.text).toBe(200);
    const events = await eventsOf(stream, 4);
    expect(events.map(({ event_type }) => event_type).sort()).toEqual(['click', 'click', 'click', 'end']);
  });

  it.runIf(rsyslogd)('rsyslog: messages become events through omprog', async () => {
    const [stream, port] = [freshStream(), await freePort()];
    const [program, config] = [join(folder, 'to-tributary'), join(folder, 'rsyslog.conf')];
    writeFileSync(program, block('rsyslog.md', { language: 'bash' }, stream), { mode: 0o755 });
    const input = `module(load="imtcp")\ninput(type="imtcp" port="${port}" address="127.0.0.1")\n`;
    const output = block('rsyslog.md', { language: '' }, stream);
    writeFileSync(config, input + output.replace('/usr/local/bin/to-tributary', program));
    start(rsyslogd, ['-n', '-f', config, '-i', join(folder, 'rsyslogd.pid')]);
    await listens(port);
    const lines = ['one', 'two “2”', 'three'].map(
      (text) => `<13>2026-11-21T04:00:00.123456Z web app: ${text}\n`,
    );
    const socket = connect(port, '127.0.0.1');
    socket.end(lines.join(''));
    const events = await eventsOf(stream, 3);
    expect(events.map(({ data }) => String(data.message).trim()).sort()).toEqual(['one', 'three', 'two “2”']);
    expect(events[0]).toMatchObject({
      ...{ event_type: 'syslog', entity_id: 'web', timestamp: '2026-11-21T04:00:00.123456Z' },
      data: { host: 'web', app: 'app', severity: 'notice' },
    });
  });
});
