import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, isPortTaken } from './engine/free-port.js';
import { checkBrokers, checkClickHouse, checkFolder, checkPorts, commandBeside } from './preflight.js';
import { portNames, readSettings } from './settings.js';

/** Listens on this port, unless another process already uses it: the port is in use either way. */
async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch(() => undefined);
  return server;
}

describe('the check before the start', () => {
  it('names a port that is in use and the variable that chooses another', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const settings = readSettings({ GATEWAY_QUERY_PORT: String(port) }, '/');
    await expect(checkPorts(settings, 0)).rejects.toThrow(`  ${port} (GATEWAY_QUERY_PORT)\n`);
    server.close();
  });

  it('suggests free ports for all of them in one command', async () => {
    const servers = [await listening(0), await listening(0)];
    const [first = 0, second = 0] = servers.map((server) => (server.address() as AddressInfo).port);
    // The first candidate for the replacement of the second port.
    const far = second < 50_000 ? second + 10_000 : second - 10_000;
    servers.push(await listening(far));
    const env: NodeJS.ProcessEnv = {
      TRIBUTARY_DATA_DIR: '/data',
      KAFKA_PORT: String(first),
      INGEST_PORT: String(second),
    };
    for (const name of portNames) env[name] ??= String(await freePort());
    const refusal = await checkPorts(readSettings(env, '/'), 0).catch((error: Error) => error.message);
    const given = portNames.slice(portNames.indexOf('INGEST_PORT') + 1).map((name) => `${name}=${env[name]}`);
    const command = new RegExp(
      `^ {2}TRIBUTARY_DATA_DIR=/data KAFKA_PORT=(\\d+) .*INGEST_PORT=(\\d+) ${given.join(' ')} npm start$`,
      'm',
    ).exec(String(refusal));
    const others = command?.slice(1).map(Number) ?? [];
    expect(others).toHaveLength(2);
    expect(others).not.toContain(far);
    expect(await Promise.all(others.map((port) => isPortTaken(port)))).toEqual([false, false]);
    for (const server of servers) server.close();
  });

  it('checks the address that HOST names', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // Every other port is free, so the result depends on this one only.
    const env: NodeJS.ProcessEnv = { GATEWAY_QUERY_PORT: String(port) };
    for (const name of portNames) env[name] ??= String(await freePort());
    const check = (HOST: string): Promise<void> => checkPorts(readSettings({ ...env, HOST }, '/'), 0);
    await expect(check('0.0.0.0')).rejects.toThrow(`  ${port} (GATEWAY_QUERY_PORT)`);
    // On macOS the loopback interface has only one address.
    if (process.platform === 'linux') await expect(check('127.0.0.2')).resolves.toBeUndefined();
    server.close();
  });

  it('names HOST when its address does not belong to this machine', async () => {
    const settings = readSettings({ HOST: '192.0.2.1' }, '/');
    await expect(checkPorts(settings, 0)).rejects.toThrow(/^HOST is "192\.0\.2\.1"/);
  });

  it('prints the command for a second system when the folder is in use', async () => {
    const settings = readSettings({ TRIBUTARY_DATA_DIR: '/data', KAFKA_BROKERS: 'a:1' }, '/');
    expect(await commandBeside(settings)).toMatch(
      /^KAFKA_BROKERS=a:1 TRIBUTARY_DATA_DIR=\/data-2 CLICKHOUSE_PORT=\d+ CLICKHOUSE_TCP_PORT=\d+ INGEST_PORT=\d+ MATERIALIZER_PORT=\d+ PROCESSOR_PORT=\d+ GATEWAY_CORE_PORT=\d+ GATEWAY_QUERY_PORT=\d+ npm start$/,
    );
  });

  it('explains how to proceed when the data folder is a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-preflight-'));
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(checkFolder(file)).rejects.toThrow(/it is a file\. Set TRIBUTARY_DATA_DIR to a folder/);
    await expect(checkFolder(join(file, 'data'))).rejects.toThrow(/path is a file\. Set TRIBUTARY_DATA_DIR/);
    await expect(checkFolder(join(folder, 'new', 'data'))).resolves.toBeUndefined();
    await rm(folder, { recursive: true });
  });

  it('names the broker that does not answer', async () => {
    const port = await freePort();
    const { config } = readSettings({ KAFKA_BROKERS: `127.0.0.1:${port}` }, '/');
    await expect(checkBrokers(config)).rejects.toThrow(
      new RegExp(`KAFKA_BROKERS=127.0.0.1:${port} \\(.*ECONNREFUSED`),
    );
  });

  it('reports a server that is not Kafka', async () => {
    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { config } = readSettings({ KAFKA_BROKERS: `127.0.0.1:${port}` }, '/');
    await expect(checkBrokers(config)).rejects.toThrow(/No Kafka broker answers at KAFKA_BROKERS=/);
    server.close();
  });

  it('reports a server that is not ClickHouse, without its password', async () => {
    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const check = checkClickHouse(`http://user:secret@127.0.0.1:${port}`);
    await expect(check).rejects.toThrow(/No ClickHouse answers at CLICKHOUSE_URL=http:\/\/127/);
    await expect(check).rejects.not.toThrow(/secret/);
    server.close();
  });
});
