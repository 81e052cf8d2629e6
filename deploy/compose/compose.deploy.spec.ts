import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '#api';
import { asOnThisNode, configOf, settingsOf } from '../app-settings.js';
import { readComposeFile } from './compose-file.js';

const run = promisify(execFile);

/** A service as the library of docker compose reads it. */
interface LoadedService {
  image: string;
  command: string[] | null;
  hostname?: string;
  environment?: Record<string, string>;
  networks?: Record<string, { aliases?: string[] } | null>;
  volumes?: { source: string; target: string }[];
  depends_on?: Record<string, object>;
}

/** Reads compose files, of which each changes those before it. */
async function load(...files: string[]): Promise<Record<string, LoadedService>> {
  const { stdout } = await run(join('.tools', 'deploy', 'bin', 'compose'), files);
  return (JSON.parse(stdout) as { services: Record<string, LoadedService> }).services;
}

it('the library of docker compose reads docker-compose.yml as intended', async () => {
  const services = await load('docker-compose.yml');
  const ours = readComposeFile().services;
  expect(Object.keys(services).sort()).toEqual(Object.keys(ours).sort());
  for (const [name, { image, command }] of Object.entries(ours)) {
    expect(services[name]?.image).toBe(image);
    expect(services[name]?.command ?? undefined).toEqual(command);
  }
});

describe('docker-compose.cluster.yml', () => {
  let services: Record<string, LoadedService>;
  const cluster = readFileSync('deploy/compose/clickhouse-cluster.xml', 'utf8');
  const named = (prefix: string) => Object.entries(services).filter(([name]) => name.startsWith(prefix));

  beforeAll(async () => {
    services = await load('docker-compose.yml', 'docker-compose.cluster.yml');
  });

  it('has three brokers that vote, each with its own address and data', () => {
    const brokers = named('kafka');
    const voters = brokers.map(([name, { environment = {} }]) => `${environment.KAFKA_NODE_ID}@${name}:9093`);
    expect(brokers).toHaveLength(3);
    for (const [name, { environment = {}, volumes = [] }] of brokers) {
      expect(environment.KAFKA_CONTROLLER_QUORUM_VOTERS, name).toBe(voters.join(','));
      expect(environment.KAFKA_ADVERTISED_LISTENERS).toBe(`PLAINTEXT://${name}:9092`);
      expect(environment).toMatchObject({
        KAFKA_DEFAULT_REPLICATION_FACTOR: '3',
        KAFKA_MIN_INSYNC_REPLICAS: '2',
      });
      expect(environment.KAFKA_MESSAGE_MAX_BYTES).toBe('16777216');
      expect(volumes.map(({ source }) => source)).toEqual([name]);
    }
  });

  it('has the servers of the two shards of its file, each with its own macros, name and data, and with the users', () => {
    const servers = named('clickhouse').map(([, { environment = {}, hostname, volumes = [], networks }]) => {
      const { CLICKHOUSE_SHARD: shard, CLICKHOUSE_REPLICA: replica } = environment;
      expect(hostname).toBe(replica);
      const mounts = volumes.map(({ target }) => target).sort();
      expect(mounts).toEqual([
        '/etc/clickhouse-server/config.d/cluster.xml',
        '/etc/clickhouse-server/users.d/tributary.xml',
        '/var/lib/clickhouse',
      ]);
      const aliases = networks?.default?.aliases ?? [];
      const data = volumes.find(({ target }) => target === '/var/lib/clickhouse')?.source;
      return { shard, replica, aliases, data };
    });
    const [one, ...others] = servers;
    expect(one?.aliases).toEqual(['clickhouse-1-1']);
    for (const { aliases } of others) expect(aliases).toEqual(['clickhouse']);
    expect(new Set(servers.map(({ data }) => data)).size).toBe(4);
    const shards = [...cluster.matchAll(/<shard>([^]*?)<\/shard>/g)].map(([, text = '']) =>
      [...text.matchAll(/<host>(.*?)<\/host>/g)].map(([, host]) => host),
    );
    const expected = [1, 2].map((n) =>
      servers.flatMap(({ shard, replica }) => (shard === `${n}` ? [replica] : [])),
    );
    expect(shards).toEqual(expected);
    const variables = [...cluster.matchAll(/from_env="(\w+)"/g)].map(([, name]) => name!);
    for (const [name, { environment = {} }] of named('clickhouse'))
      for (const variable of variables) expect(environment[variable], `${variable} of ${name}`).toBeTruthy();
  });

  it('has the Keeper that its servers name', () => {
    const [, host, port] = /<node><host>(.*)<\/host><port>(.*)<\/port><\/node>/.exec(cluster) ?? [];
    expect(services).toHaveProperty(host!);
    expect(readFileSync('deploy/compose/keeper.xml', 'utf8')).toContain(`<tcp_port>${port}</tcp_port>`);
  });

  it.each(['ingest', 'gateway', 'materializer', 'processor'] as const)(
    'gives %s settings that it has, and starts it after the servers that it needs',
    (app) => {
      const { environment = {}, depends_on: needs = {} } = services[app]!;
      const known = new Set(settingsOf(app));
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
      const config = loadConfig(configOf(app), asOnThisNode(environment));
      expect(config.KAFKA_BROKERS).toEqual(['kafka:9092', 'kafka-2:9092', 'kafka-3:9092']);
      const brokers = named('kafka').map(([name]) => name);
      const servers = app === 'ingest' ? [] : named('clickhouse').map(([name]) => name);
      expect(Object.keys(needs).sort()).toEqual([...servers, ...brokers].sort());
      if (app === 'ingest') return;
      expect(config).toMatchObject({ CLICKHOUSE_CLUSTER: 'tributary', CLICKHOUSE_REPLICATED: true });
    },
  );

  it('mounts files that exist, of exact versions of images', () => {
    for (const [name, { image, volumes = [] }] of Object.entries(services)) {
      for (const { source } of volumes)
        if (source.startsWith('/')) expect(existsSync(relative('.', source)), source).toBe(true);
      if (!image.startsWith('tributary:')) expect(image, name).toMatch(/:v?\d+\.\d+\.\d+/);
    }
  });
});
