import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LoadDriver, type LoadDriverOptions } from './driver.js';
import { HttpClient } from './http-client.js';
import { elementsOf, membersOf } from './json-text.js';
import { Ledger } from './ledger.js';
import { check, expectClean } from './read-back.js';

interface Row {
  event_id: string;
  stream: string;
  entity_id: string | null;
  offset: number;
  version: number | null;
  json: string;
}

/** An in-memory fake of the write and query ports, with faults in each direction. */
class FaultyServer {
  rows: Row[] = [];
  requests = 0;
  /**
   * Sends this status, or closes the connection. The fault `before` comes instead of doing the work of request `n`, and
   * the fault `after` comes once the work is done.
   */
  before: (n: number) => number | 'hang up' | undefined = () => undefined;
  after: (n: number) => number | 'hang up' | undefined = () => undefined;
  /** Transforms the rows of each query before they are returned, to simulate faults of reads. */
  shown = (rows: Row[]): Row[] => rows;

  handle(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (request.method === 'GET') return this.read(new URL(request.url ?? '', 'http://twin'), response);
      const n = ++this.requests;
      const refused = this.before(n);
      if (refused) return answer(response, refused);
      const batch = request.url?.endsWith('/batch') ?? false;
      const events = batch ? elementsOf(membersOf(body).get('events')!) : [body];
      const positions = events.map((event) => this.write(event));
      const spoiled = this.after(n);
      if (spoiled) return answer(response, spoiled);
      response.statusCode = 201;
      response.end(JSON.stringify(batch ? { events: positions } : positions[0]));
    });
  }

  private write(json: string): { event_id: string; partition: number; offset: number } {
    const { event_id, stream, entity_id = null } = JSON.parse(json) as Row;
    const known = this.rows.find((row) => row.event_id === event_id);
    const earlier = this.rows.filter((row) => row.entity_id === entity_id && row.stream === stream);
    const version = entity_id === null ? null : earlier.length + 1;
    const offset = known?.offset ?? this.rows.length;
    if (!known) this.rows.push({ event_id, stream, entity_id, offset, version, json });
    return { event_id, partition: 0, offset };
  }

  private read(url: URL, response: ServerResponse): void {
    const entities = url.searchParams.getAll('entity_id');
    const rows = this.shown(this.rows)
      .filter(({ stream }) => stream === url.searchParams.get('stream'))
      .filter(({ entity_id }) => entities.length === 0 || entities.includes(entity_id ?? ''));
    if (url.pathname.endsWith('/count')) return void response.end(JSON.stringify({ total: rows.length }));
    if (url.searchParams.get('order') === 'desc') rows.reverse();
    const start = Number(url.searchParams.get('cursor') ?? 0);
    const events = rows.slice(start, start + 100).map(({ entity_id, version, offset, json }) => {
      const entity = entity_id === null ? ',"entity_id":null' : '';
      return `${json.slice(0, -1)}${entity},"version":${version},"partition":0,"offset":${offset}}`;
    });
    const next = start + 100 < rows.length ? `,"next_cursor":"${start + 100}"` : '';
    response.end(`{"events":[${events.join(',')}]${next}}`);
  }
}

function answer(response: ServerResponse, status: number | 'hang up'): void {
  if (status === 'hang up') return void response.destroy();
  response.statusCode = status;
  response.end('{}');
}

let twin: FaultyServer;
let server: Server;
let url: string;
let client: HttpClient;

beforeEach(async () => {
  twin = new FaultyServer();
  server = createServer((request, response) => twin.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new HttpClient(url);
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

async function drive(events: number, more: Partial<LoadDriverOptions> = {}): Promise<Ledger> {
  const ledger = Ledger.open();
  onTestFinished(() => ledger.discard());
  const options = { url: () => url, ledger, seed: 11, streams: ['orders', 'users'], eventsPerSecond: 1e6 };
  const driver = new LoadDriver({ ...options, ...more }).start(events);
  await driver.finished();
  return ledger;
}

async function findings(ledger: Ledger): Promise<string[]> {
  const report = await check({ client, ledger, patienceMs: 500 });
  return [...new Set(report.findings.map(({ kind }) => kind))].sort();
}

describe('Driver and check', () => {
  it('report nothing for a correct server', async () => {
    const ledger = await drive(600);
    const report = await check({ client, ledger });
    expectClean(report);
    expect(report).toMatchObject({ unknown: 0, read: report.acknowledged });
    expect(report.acknowledged).toBeGreaterThanOrEqual(600);
  });

  it('send the same events for the same seed, and others for another seed', async () => {
    const ids = async (seed: number) => {
      const ledger = await drive(200, { seed, workers: 1 });
      return ledger.entries().map(({ event_id, hash }) => `${event_id} ${hash}`);
    };
    expect(await ids(5)).toEqual(await ids(5));
    expect(await ids(5)).not.toEqual(await ids(6));
  });

  it('repeat an event with an unknown outcome under the same id, in order, until the outcome is known', async () => {
    const spoil = (n: number) => (n % 5 === 0 ? ('hang up' as const) : n % 7 === 0 ? 503 : undefined);
    twin.after = spoil;
    twin.before = (n) => spoil(n + 2);
    const ledger = await drive(300);
    expect(ledger.count('unknown')).toBe(0);
    expect(ledger.entries().some(({ attempts }) => attempts > 1)).toBe(true);
    expect(await findings(ledger)).toEqual([]);
  });

  it('record a refusal as failed and do not repeat the event', async () => {
    twin.before = () => 422;
    const ledger = await drive(20, { batchShare: 0 });
    expect(ledger.count('failed')).toBe(20);
    expect(twin.requests).toBe(20);
  });

  it('give up after the time-out, and send no more events of the entity', async () => {
    twin.before = (n) => (n < 200 ? 503 : undefined);
    const ledger = await drive(40, { giveUpAfterMs: 10, workers: 1 });
    expect(ledger.count('unknown')).toBeGreaterThan(0);
    expect(await findings(ledger)).toEqual([]);
  });

  it.each<[string, string[], (rows: Row[]) => Row[]]>([
    ['an event disappears', ['lost', 'version gap'], (rows) => rows.filter((_, i) => i !== 30)],
    [
      'an event shows twice',
      ['duplicate', 'version gap'],
      (rows) => [...rows, { ...rows[30]!, offset: 9_999 }],
    ],
    [
      'a decimal loses its last zero',
      ['wrong data'],
      (rows) => rows.map((row) => ({ ...row, json: row.json.replace('0, "a"', ', "a"') })),
    ],
  ])('report when %s', async (_name, kinds, spoil) => {
    const ledger = await drive(300);
    twin.shown = spoil;
    expect(await findings(ledger)).toEqual(expect.arrayContaining([kinds[0]]));
  });

  it('report when a newest-first page or a filter by entity misses events', async () => {
    const ledger = await drive(300);
    let reads = 0;
    twin.shown = (rows) => (++reads > 4 ? rows.slice(1) : rows);
    expect(await findings(ledger)).toContain('views differ');
  });
});

describe('expectClean', () => {
  it('fails on a finding, and when no event was acknowledged', () => {
    const report = { acknowledged: 1, unknown: 0, read: 1, findings: [] };
    expect(() => expectClean(report)).not.toThrow();
    expect(() => expectClean({ ...report, acknowledged: 0 })).toThrow('Nothing was acknowledged');
    expect(() => expectClean({ ...report, findings: [{ kind: 'lost', detail: 'x' }] })).toThrow('1 lost');
  });
});
