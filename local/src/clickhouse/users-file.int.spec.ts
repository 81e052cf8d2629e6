import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManagedChildProcess } from '../engine/engine-process.js';
import { freePort } from '../engine/free-port.js';
import { listenStatement, serverConfig } from './server-config.js';

/** The users of a server as its package installs them. */
const ownUsers = `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <no_password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
    </default>
  </users>
</clickhouse>`;

let folder: string;
let url: string;
let server: ManagedChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-users-file-'));
  await mkdir(join(folder, 'users.d'));
  await writeFile(join(folder, 'users.xml'), ownUsers);
  await copyFile('helm/tributary/files/clickhouse-users.xml', join(folder, 'users.d', 'tributary.xml'));
});
afterEach(async () => {
  await server?.stop(20_000, 'end of input');
  await rm(folder, { recursive: true });
});

/** Starts a server that has the chart's file in users.d, with these environment variables. */
async function start(env: Record<string, string>): Promise<void> {
  const config = serverConfig({
    usersFile: join(folder, 'users.xml'),
    logsQueries: false,
    cluster: undefined,
    maxMemoryBytes: 2 ** 30,
  });
  await writeFile(join(folder, 'config.xml'), config);
  const [port, tcpPort] = [await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  server = new ManagedChildProcess({
    name: 'ClickHouse',
    command: process.execPath,
    args: [
      fileURLToPath(new URL('main.js', import.meta.url)),
      ...[`--config-file=${join(folder, 'config.xml')}`, `--path=${join(folder, 'store')}`],
      ...[
        '--listen_host',
        '127.0.0.1',
        '--log-level',
        'fatal',
        '-A',
        '--history_file',
        join(folder, 'history'),
      ],
      ...['--http_port', String(port), '--tcp_port', String(tcpPort)],
      ...['--interactive', '--query', listenStatement],
    ],
    env: { TZ: 'UTC', TERM: 'dumb', ...env },
  });
  await server.until(async (signal) => {
    while (!signal.aborted && !(await fetch(`${url}/ping`, { signal }).catch(() => undefined))?.ok)
      await sleep(20);
  }, 120_000);
}

/** Returns a function that sends a statement as a user, and resolves with the status and text of the answer. */
const as = (user: string, password: string) => async (statement: string, queryId?: string) => {
  const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password };
  const address = new URL(url);
  if (queryId !== undefined) address.searchParams.set('query_id', queryId);
  const answer = await fetch(address, { method: 'POST', body: statement, headers });
  return `${answer.status} ${(await answer.text()).trim()}`;
};
const passwords = { CLICKHOUSE_APP_PASSWORD: 'of-apps', SQL_CLICKHOUSE_PASSWORD: 'of-sql' };

it("a server with the chart's file in users.d has the users of the apps and of analysts", async () => {
  await start(passwords);
  const asApp = as('tributary', 'of-apps');
  for (const statement of [
    'CREATE DATABASE tributary',
    'CREATE TABLE tributary.events (stream String) ENGINE = MergeTree ORDER BY stream',
    "INSERT INTO tributary.events VALUES ('orders'), ('carts'), ('tributary.keys')",
  ])
    expect(await asApp(statement)).toBe('200 ');
  expect(await asApp('SELECT count() FROM tributary.events')).toBe('200 3');
  expect(await asApp('CREATE USER another')).toContain('ACCESS_DENIED');

  const asAnalyst = as('sql', 'of-sql');
  const streams = 'SELECT arrayStringConcat(groupArray(stream)) FROM tributary.events';
  expect(await asAnalyst(streams)).toBe('200 ');
  expect(await asAnalyst(streams, 'orders   id')).toBe('200 orders');
  expect(await asAnalyst("INSERT INTO tributary.events VALUES ('x')")).toContain('ACCESS_DENIED');
  expect(await asAnalyst('SELECT 1 SETTINGS max_threads = 9')).toContain('READONLY');
  for (const user of ['tributary', 'sql']) expect(await as(user, '')('SELECT 1')).toMatch(/^403 /);
});

it.each(Object.keys(passwords))('a server without the variable %s does not start', async (variable) => {
  const others = Object.entries(passwords).filter(([name]) => name !== variable);
  await expect(start(Object.fromEntries(others))).rejects.toThrow('At least one authentication type');
});
