import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { idOf, until } from '#testkit';
import { expectProblem, freshStream, queryEvents, waitFor, writeEvent } from './api.js';
import { sql } from './sql.js';
import { useStack } from './use-stack.js';

const system = useStack({ env: { EXPORT_CONCURRENT_PER_KEY: '100' } });
const stream = freshStream('exported');
const rows = 400_000;
/** The exit code of curl for a connection that was reset, `CURLE_RECV_ERROR`. */
const receiveFailure = 56;

/** The rows are written into ClickHouse directly: the exports take long enough that a test can end them. */
beforeAll(async () => {
  const { core, database } = system();
  await core.post('/api/v1/streams', { stream, partitions: 1 });
  const first = await writeEvent(core, { stream, event_type: 'order.placed', data: { note: 'first' } });
  await queryEvents(core, { stream, limit: '1' }, waitFor([first]));
  const id = await idOf(system(), stream);
  await sql(
    system(),
    `INSERT INTO ${database}.events (stream, offset, event_type, timestamp, ingested_at, metadata, data)
      SELECT '${id}', number + 1000, 'order.placed', now64(6) - 3600 + intDiv(number, 1000), now64(6), '{}',
        concat('{"note":"', hex(SHA512(toString(number))), hex(SHA512(toString(-number))), '"}')
      FROM numbers(${rows})`,
  );
});

interface IssuedKey {
  key: string;
  key_id: string;
}

async function issue(more: object = {}): Promise<IssuedKey> {
  const body = { name: 'exporter', scopes: ['events:read'], streams: [stream], ...more };
  const issued = await system().core.post('/api/v1/keys', body);
  expect(issued.status, issued.text).toBe(201);
  const key = issued.json<IssuedKey>();
  const authorization = `Bearer ${key.key}`;
  const streams = () => system().query.get('/api/v1/streams', { headers: { authorization } });
  if (Object.keys(more).length === 0)
    await until(async () => (await streams()).status === 200, { what: 'the key' });
  return key;
}

const revoke = ({ key_id }: IssuedKey) => system().core.send('DELETE', `/api/v1/keys/${key_id}`);

/** A download over a plain socket, which shows how the server ended it. */
class Download {
  received = Buffer.alloc(0);
  readonly closed: Promise<void>;
  private readonly socket: Socket;

  constructor(query: string, { key }: IssuedKey) {
    const { hostname, port } = new URL(system().urls.query);
    this.socket = connect(Number(port), hostname);
    const path = `/api/v1/events/export?stream=${stream}&${query}`;
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    this.socket.on('data', (chunk: Buffer) => (this.received = Buffer.concat([this.received, chunk])));
    // The connection of a revoked key may be reset.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** Reads the beginning of the answer, and then nothing until `resume`. */
  async begin(): Promise<void> {
    await until(() => this.received.length > 100_000, {
      what: 'the beginning of the export',
      progress: () => this.received.length,
      diagnosis: () => this.received.toString('latin1', 0, 1_000),
    });
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received.toString('latin1', 0, 20))?.[1]);
  }

  /** The bytes of the body as they were sent. */
  get body(): Buffer {
    return this.received.subarray(this.received.indexOf('\r\n\r\n') + 4);
  }

  /** The length that the answer promises; undefined for an answer in chunks. */
  get length(): number | undefined {
    const length = /\r\ncontent-length: (\d+)/i.exec(this.received.toString('latin1', 0, 4_000))?.[1];
    return length === undefined ? undefined : Number(length);
  }
}

/** Returns the number of exports and queries that the gateway runs. */
async function readsRunning(): Promise<number> {
  const { text } = await system().core.get('/metrics');
  return Number(/^tributary_reads_running (\d+)$/m.exec(text)?.[1]);
}

/** Resolves when the gateway has ended its exports. A paused download cannot be over before. */
async function exportEnded(): Promise<void> {
  await until(async () => (await readsRunning()) === 0, { what: 'the end of the export in the gateway' });
}

/** Returns the number of Parquet files that ClickHouse encodes for this system. */
async function filesBeingEncoded(): Promise<number> {
  const { database } = system();
  const statements = `SELECT count() FROM system.processes
    WHERE current_database = '${database}' AND query LIKE '%FORMAT Parquet%'`;
  return Number(await sql(system(), statements));
}

describe('a key that is revoked during an export', () => {
  it.each(['ndjson', 'csv'])('ends it as %s without the last chunk of the body', async (format) => {
    const key = await issue();
    const download = new Download(`format=${format}`, key);
    await download.begin();
    await revoke(key);
    await exportEnded();
    download.resume();
    await download.closed;
    expect(download.status).toBe(200);
    expect(download.body.toString('latin1')).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(download.body.length).toBeLessThan(rows * 200);
  });

  it('resets the connection over HTTP/1.0, where an orderly end would look like a complete export', async () => {
    const key = await issue();
    const url = `${system().urls.query}/api/v1/events/export?stream=${stream}&format=ndjson`;
    // Node reports no reset of a connection from which it does not read at that moment. curl does, and a whole download would
    // take it a minute at this rate.
    const options = ['--http1.0', '--silent', '--no-buffer', '--limit-rate', '2M'];
    const curl = spawn('curl', [...options, '--oauth2-bearer', key.key, url]);
    const exit = once(curl, 'exit');
    await once(curl.stdout, 'data');
    curl.stdout.resume();
    await revoke(key);
    expect(await exit).toEqual([receiveFailure, null]);
  });

  it.each(['parquet', 'arrow'])('ends the download of %s before its length', async (format) => {
    const key = await issue();
    const download = new Download(`format=${format}`, key);
    await download.begin();
    await revoke(key);
    await exportEnded();
    download.resume();
    await download.closed;
    expect(download.length).toBeGreaterThan(1_000_000);
    expect(download.body.length).toBeLessThan(download.length!);
  });

  it('ends the statement with which ClickHouse encodes its file', async () => {
    const key = await issue();
    const download = new Download('format=parquet', key);
    await until(async () => (await filesBeingEncoded()) > 0, { what: 'the statement of the export' });
    await revoke(key);
    await until(async () => (await filesBeingEncoded()) === 0, { what: 'the end of the statement' });
    await until(() => download.status > 0, { what: 'the answer' });
    expect(download.status).toBe(401);
  });
});

describe('the request rate of a key', () => {
  it('counts exports', async () => {
    const { key } = await issue({ rate_limit: { requests_per_second: 1 } });
    const path = `/api/v1/events/export?stream=${stream}&since=2100-01-01T00:00:00Z`;
    const ask = () => system().query.get(path, { headers: { authorization: `Bearer ${key}` } });
    // The key is known to the gateway that issued it.
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(refused).not.toHaveLength(0);
    for (const answer of refused) {
      expectProblem(answer, 'too_many_requests');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});
