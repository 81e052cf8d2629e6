import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clickHousePasswords, freePort, startClickHouse, type RunningClickHouse } from '#local';

/**
 * A cluster of ClickHouse servers, each a shard, in a folder of its own. All have the same HTTP port at different loopback addresses, as
 * servers of a real cluster have at different hosts. Their TCP ports differ: a server takes each loopback address with its own TCP port
 * for itself.
 */
export class ClickHouseCluster {
  readonly name = 'tributary';

  private constructor(
    private readonly folder: string,
    readonly servers: readonly RunningClickHouse[],
  ) {}

  static async start(shards: number): Promise<ClickHouseCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-cluster-'));
    const port = await freePort();
    const servers = await Promise.all(
      Array.from({ length: shards }, async (_, n) => ({
        host: `127.0.0.${n + 1}`,
        tcpPort: await freePort(),
      })),
    );
    const cluster = { name: 'tributary', secret: randomBytes(16).toString('hex'), servers };
    const passwords = await clickHousePasswords(join(folder, 'passwords'));
    const started = await Promise.allSettled(
      servers.map(({ host, tcpPort }, n) =>
        startClickHouse({ dataDir: join(folder, `shard-${n + 1}`), host, port, tcpPort, cluster, passwords }),
      ),
    );
    const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const result = new ClickHouseCluster(folder, running);
    const failed = started.find((one) => one.status === 'rejected');
    if (!failed) return result;
    await result.stop();
    throw failed.reason;
  }

  get url(): string {
    return this.servers[0]!.url;
  }

  get password(): string {
    return this.servers[0]!.password;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.servers.map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}
