import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clickHousePasswords,
  freePort,
  startClickHouse,
  type ClickHousePasswords,
  type RunningClickHouse,
} from '#local';
import { askClickHouse } from './clickhouse-statement.js';

/** Options of a `ClickHouseCluster` and of each of its servers. */
interface ClusterOptions extends Pick<
  Parameters<typeof startClickHouse>[0],
  'appDatabases' | 'analystDatabases' | 'onLog'
> {
  /** Servers of each shard. Their tables have the same rows only if the spec writes them to each. Default: 1. */
  replicas?: number;
}

/**
 * A cluster of ClickHouse servers in a folder of its own, those of the first shard first. All have the same HTTP port at different loopback addresses, as
 * servers of a real cluster have at different hosts. Their TCP ports differ: a server takes each loopback address with its own TCP port
 * for itself.
 */
export class ClickHouseCluster {
  readonly name = 'tributary';

  private constructor(
    private readonly folder: string,
    readonly servers: readonly ClusterServer[],
  ) {}

  static async start(
    shards: number,
    { replicas = 1, ...options }: ClusterOptions = {},
  ): Promise<ClickHouseCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-cluster-'));
    const port = await freePort();
    const servers = await Promise.all(
      Array.from({ length: shards * replicas }, async (_, n) => ({
        host: `127.0.0.${n + 1}`,
        tcpPort: await freePort(),
      })),
    );
    const cluster = {
      name: 'tributary',
      secret: randomBytes(16).toString('hex'),
      shards: Array.from({ length: shards }, (_, n) => servers.slice(n * replicas, (n + 1) * replicas)),
    };
    const passwords = await clickHousePasswords(join(folder, 'passwords'));
    const result = new ClickHouseCluster(
      folder,
      servers.map(({ host, tcpPort }, n) => {
        const dataDir = join(folder, `server-${n + 1}`);
        return new ClusterServer(`http://${host}:${port}`, passwords, () =>
          startClickHouse({ ...options, ...{ dataDir, host, port, tcpPort, cluster, passwords } }),
        );
      }),
    );
    const started = await Promise.allSettled(result.servers.map((server) => server.start()));
    const failed = started.find((one) => one.status === 'rejected');
    if (!failed) return result;
    await result.stop();
    throw failed.reason;
  }

  get url(): string {
    return this.servers[0]!.url;
  }

  get password(): string {
    return this.servers[0]!.passwords.password;
  }

  get analystPassword(): string {
    return this.servers[0]!.passwords.analystPassword;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.servers.map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A server of a cluster, which can be killed and started again on its data. */
class ClusterServer {
  private running: RunningClickHouse | undefined;

  constructor(
    readonly url: string,
    readonly passwords: ClickHousePasswords,
    private readonly launch: () => Promise<RunningClickHouse>,
  ) {}

  /** Process id of the server. @throws an Error if it does not run */
  get pid(): number {
    if (!this.running) throw new Error('The server does not run');
    return this.running.pid;
  }

  async start(): Promise<void> {
    this.running = await this.launch();
  }

  async kill(): Promise<void> {
    await this.running?.kill('SIGKILL');
    this.running = undefined;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }

  /** Returns the answer to a statement as text. @throws an Error if the server refuses it */
  async ask(statement: string): Promise<string> {
    const server = { clickhouseUrl: this.url, clickhousePassword: this.passwords.password };
    const answer = await askClickHouse(server, statement);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`ClickHouse refused ${statement}: ${text}`);
    return text;
  }
}
