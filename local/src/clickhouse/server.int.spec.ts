import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askClickHouse } from '#testkit';
import { startClickHouse, type RunningClickHouse } from './start.js';

let folder: string;
let server: RunningClickHouse;
/** The permissions of the null device before ClickHouse started. */
let nullDevice: number;

beforeAll(async () => {
  nullDevice = (await stat('/dev/null')).mode;
  folder = await mkdtemp(join(tmpdir(), 'tributary-clickhouse-'));
  server = await startClickHouse({ dataDir: join(folder, 'data') });
  await asApp('CREATE TABLE kept (a String) ENGINE = MergeTree ORDER BY a');
  await asApp("INSERT INTO kept VALUES ('secret')");
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const asApp = async (statement: string): Promise<string> => {
  const { url: clickhouseUrl, password: clickhousePassword } = server;
  const answer = await askClickHouse({ clickhouseUrl, clickhousePassword }, statement);
  return `${answer.status} ${(await answer.text()).trim()}`;
};

/** Sends a statement as a web page or another account of this machine can: without a password. */
const asStranger = (statement: string, search = '', headers: Record<string, string> = {}) =>
  fetch(`${server.url}/${search}`, {
    method: 'POST',
    body: statement,
    headers: {
      'content-type': 'text/plain',
      host: 'rebound.example',
      origin: 'https://page.example',
      ...headers,
    },
  });

/** Whether the port accepts connections. A port that is bound and not open refuses them. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => resolve(true)).once('connect', () => socket.destroy());
  });
}

/** Begins a request, and breaks it off. */
async function breakOff(port: number, begun: string, end: 'destroy' | 'resetAndDestroy'): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (begun !== '') await new Promise((sent) => socket.write(begun, sent));
  await sleep(50);
  socket[end]();
  await sleep(50);
}

/** Tries to listen on a port, and resolves with the outcome. */
async function listening(port: number): Promise<string> {
  const other = createServer().listen(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(other, 'listening').then(() => 'listening'),
    new Promise<string>((resolve) =>
      other.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? '')),
    ),
  ]).catch((error: NodeJS.ErrnoException) => error.code ?? '');
  other.close();
  return outcome;
}

describe("ClickHouse's own server", () => {
  it('answers the user of the apps, and nobody else with a password', async () => {
    expect(await asApp('SELECT a FROM kept')).toBe('200 secret');
    for (const user of ['tributary', 'default', 'sql', 'admin']) {
      const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': 'guessed' };
      expect((await asStranger('SELECT a FROM kept', '', headers)).ok, user).toBe(false);
    }
  });

  it.each<[string, string?]>([
    ['SELECT 1'],
    ['SELECT * FROM kept'],
    ['INSERT INTO kept VALUES (1)'],
    ['INSERT INTO kept FORMAT CSV\nforged'],
    ['DROP TABLE kept'],
    ['TRUNCATE kept'],
    ['CREATE DATABASE d'],
    ['SHOW TABLES'],
    ['SHOW PROCESSLIST'],
    ["SELECT file('/etc/hostname')"],
    ["SELECT * FROM file('/etc/hostname', 'LineAsString')"],
    ['SYSTEM SHUTDOWN'],
    ['SYSTEM RELOAD CONFIG'],
    ['KILL QUERY WHERE 1'],
    ['SELECT 1', '?max_ast_elements=50000'],
    ['SELECT 1', '?max_query_size=100000&max_ast_elements=50000'],
    ['SELECT 1', '?profile=default'],
    ['SELECT 1', '?dialect=kusto'],
    ['SET max_ast_elements = 50000'],
    ['SELECT 1 SETTINGS max_ast_elements = 50000'],
    ['EXECUTE AS tributary SELECT 1'],
    [' '.repeat(10_000_000)],
    [`SELECT ${'('.repeat(100_000)}`],
    ['', '?query=SELECT+a+FROM+kept'],
  ])('runs nothing without a password: %s%s', async (statement, search) => {
    const answer = await asStranger(statement, search);
    expect(answer.ok, await answer.clone().text()).toBe(false);
    expect(await answer.text()).not.toContain('secret');
    expect(await asApp('SELECT a FROM kept')).toBe('200 secret');
  });

  it.each(['HTTP', 'TCP'])('opens its %s port again when somebody closes it', async (port) => {
    // The connection of this statement may be closed with the port.
    await asStranger(`SYSTEM STOP LISTEN ${port}`).catch(() => undefined);
    const number = port === 'HTTP' ? server.port : server.tcpPort;
    await expect.poll(() => isOpen(number)).toBe(true);
    await expect.poll(() => asApp('SELECT 1').catch(String)).toBe('200 1');
  });

  it.each([
    '',
    'GET',
    'POST /?query=SELECT HTTP/1.1\r\nHost: x',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nSEL',
  ])('answers again with its data after a request that breaks off: %j', async (begun) => {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      // The server may still end because of the request before, and be started again.
      await expect.poll(() => breakOff(server.port, begun, end).catch(String)).toBeUndefined();
      await expect.poll(() => asApp('SELECT a FROM kept').catch(String)).toBe('200 secret');
    }
  });

  it.each(['HTTP', 'TCP'])(
    'lets no other process take its %s port while somebody has closed it',
    async (name) => {
      const port = name === 'HTTP' ? server.port : server.tcpPort;
      const outcomes = new Set<string>();
      while (outcomes.size === 0) {
        await asStranger(`SYSTEM STOP LISTEN ${name}`).catch(() => undefined);
        while (!(await isOpen(port))) outcomes.add(await listening(port));
      }
      expect([...outcomes]).toEqual(['EADDRINUSE']);
    },
  );

  it('is not started again after too many aborts within a minute', async () => {
    const aborting = await startClickHouse({ dataDir: join(folder, 'aborting'), mostAborts: 1 });
    let ended: string | undefined;
    void aborting.ended.then((reason) => (ended = reason));
    const attempt = () => breakOff(aborting.port, 'GET', 'resetAndDestroy').catch(() => undefined);
    await expect.poll(async () => ended ?? (await attempt())).toBe('it aborted 2 times within a minute');
  });

  it.each(['first', 'second'])(
    'keeps its logs of statements and parts for a day, hidden from analysts, after the %s start',
    async (start) => {
      const logging = await startClickHouse({ dataDir: join(folder, 'logging'), logsQueries: true });
      try {
        const { url: clickhouseUrl, password: clickhousePassword } = logging;
        const asked = async (statement: string) =>
          (await askClickHouse({ clickhouseUrl, clickhousePassword }, statement)).text();
        await asked(`CREATE TABLE ${start} (a Int8) ENGINE = MergeTree ORDER BY a`);
        await asked(`INSERT INTO ${start} VALUES (1)`);
        const found = `SELECT count() > 0 FROM system.query_log WHERE query LIKE 'INSERT INTO ${start}%'`;
        await expect.poll(() => asked(found)).toBe('1\n');
        await expect
          .poll(() => asked(`SELECT rows FROM system.part_log WHERE table = '${start}'`))
          .toBe('1\n');
        for (const log of ['query_log', 'part_log'])
          expect(await asked(`SHOW CREATE TABLE system.${log}`)).toContain(
            'TTL event_date + toIntervalDay(1)',
          );
        const headers = { 'X-ClickHouse-User': 'sql', 'X-ClickHouse-Key': logging.analystPassword };
        const refused = await fetch(clickhouseUrl, { method: 'POST', body: found, headers });
        expect(await refused.text()).toContain('ACCESS_DENIED');
      } finally {
        await logging.stop();
      }
    },
  );

  it('leaves the null device as it was, also as root', async () => {
    expect((await stat('/dev/null')).mode).toBe(nullDevice);
  });

  it('refuses a second start on the same folder, and goes on', async () => {
    const second = startClickHouse({ dataDir: join(folder, 'data') });
    await expect(second).rejects.toThrow('Another server instance in same directory is already running');
    expect(await asApp('SELECT 1')).toBe('200 1');
  });

  it('refuses a port that another process uses', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const start = startClickHouse({ dataDir: join(folder, 'other'), port });
    await expect(start).rejects.toThrow(`another process uses port ${port} of 127.0.0.1`);
    other.close();
  });

  it('waits for running statements when it is stopped, and has its rows after the next start and after kill -9', async () => {
    const running = asApp('SELECT sleepEachRow(0.2), number FROM numbers(5) SETTINGS max_block_size = 1');
    await expect
      .poll(() => asApp("SELECT count() FROM system.processes WHERE query LIKE 'SELECT sleepEachRow%'"))
      .toBe('200 1');
    await server.stop();
    expect((await running).split('\n')).toHaveLength(5);
    server = await startClickHouse({ dataDir: join(folder, 'data') });
    await asApp("INSERT INTO kept VALUES ('second')");
    await server.kill('SIGKILL');
    server = await startClickHouse({ dataDir: join(folder, 'data') });
    expect(await asApp('SELECT count() FROM kept')).toBe('200 2');
  });

  it('says which file is damaged', async () => {
    await server.stop();
    const [definition] = execFileSync('find', [join(folder, 'data', 'store', 'store'), '-name', 'kept.sql'], {
      encoding: 'utf8',
    }).split('\n');
    const text = execFileSync('cat', [definition!], { encoding: 'utf8' });
    await writeFile(definition!, 'damaged');
    await expect(startClickHouse({ dataDir: join(folder, 'data') })).rejects.toThrow('kept.sql');
    await writeFile(definition!, text);
    server = await startClickHouse({ dataDir: join(folder, 'data') });
    expect(await asApp('SELECT count() FROM kept')).toBe('200 2');
  });
});
