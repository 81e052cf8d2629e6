import { SharedCall, within } from '#async';
import type { StreamId } from '#event';
import { NonRetryableStoreError, ShardUnavailableError, StoreUnavailableError } from '../../errors.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';
import { throwIfFatal, type CreateTables } from './replicated-connection.js';
import type { StoreHealth } from '../../store.js';
import type { ShardStore } from './shard-store.js';

/** Where the partitions of streams are placed. It is written down once for each stream, so that no new shard moves them. */
export interface StreamSharding {
  /**
   * Returns over how many of the first shards the partitions of a stream are spread: `shards`, unless another number was written down
   * before.
   */
  shardsOf(id: StreamId, shards: number): Promise<number>;
}

/** What decides in which shard a row is: its partition of a stream, or of the input of a projection or pipeline. */
export interface ShardingKey {
  stream: string;
  partition: number;
}

/** Milliseconds after which a server that does not answer is taken for unavailable. */
const pingMs = 1_500;

interface ShardsOptions {
  sharding: StreamSharding;
  /** Name of the cluster in the servers' `remote_servers`. */
  cluster: string;
  /** Whether the tables are replicated among the servers of a shard. */
  replicated: boolean;
  /** A connection to any server of the cluster. */
  connection: Pick<ClickHouseConnection, 'select'>;
  /** Opens the store of a shard, given by the host names of its replicas. Connects on its first request. */
  open: (hosts: readonly string[]) => ShardStore;
}

/**
 * The shards of a ClickHouse cluster. All rows of a partition are in one shard, so what is decided about a partition needs that shard
 * only. Asks ClickHouse for its servers on the first use.
 */
export class Shards {
  private readonly opened = new SharedCall(() => this.open());

  constructor(private readonly options: ShardsOptions) {}

  /** Returns the stores of all shards, in the order of their numbers. @throws StoreUnavailableError */
  all(): Promise<readonly ShardStore[]> {
    return this.opened.result();
  }

  /** Returns the store of the shard that has the rows of a partition. */
  async of({ stream, partition }: ShardingKey): Promise<ShardStore> {
    const all = await this.all();
    const spread = await this.spreadOf(stream, all.length);
    if (spread > all.length) throw new ShardsMissingError(stream, spread, all.length);
    return all[(hashOf(stream) + partition) % spread]!;
  }

  /** Returns over how many of the first shards the partitions of a stream are spread. @throws StoreUnavailableError */
  private async spreadOf(stream: string, present: number): Promise<number> {
    try {
      return await this.options.sharding.shardsOf(stream as StreamId, present);
    } catch (error) {
      const reason = (error as Error).message;
      throw new StoreUnavailableError(`The placement of a stream is not known: ${reason}`, { cause: error });
    }
  }

  /** Returns the shard that a hash chooses among those present, which another number of shards changes. */
  async hashed(name: string, partition: number): Promise<ShardStore> {
    const all = await this.all();
    return all[(hashOf(name) + partition) % all.length]!;
  }

  /** Groups items by the shard of their partition. */
  group<T extends ShardingKey>(items: readonly T[]): Promise<Map<ShardStore, T[]>> {
    return groupBy(items, (item) => this.of(item));
  }

  /** Calls a function for each shard at once, and returns the results in the order of the shards. */
  async map<T>(call: (shard: ShardStore) => Promise<T>): Promise<T[]> {
    return Promise.all((await this.all()).map(call));
  }

  /**
   * Creates the tables of each server. Those of a server that does not answer are created before its next use: its outage does not
   * stop the processes that start meanwhile.
   * @throws StoreUnavailableError if no shard answers; the error of a server that no repeat helps
   */
  async prepare(createTables: CreateTables): Promise<void> {
    const all = await this.all();
    const failures = await failuresOf(all, ({ connection }) => connection.prepare(createTables));
    throwIfFatal([...failures.values()], all.length);
  }

  /**
   * Calls a function for each shard, and returns the results of those that answer, by their numbers from 1.
   * @throws StoreUnavailableError if none does
   */
  async mapPresent<T>(call: (shard: ShardStore) => Promise<T>): Promise<Map<number, T>> {
    const all = await this.all();
    const results = new Map<number, T>();
    const failures = await failuresOf(
      all,
      async (shard) => void results.set(all.indexOf(shard) + 1, await call(shard)),
    );
    const [error] = failures.values();
    if (error && results.size === 0) throw error;
    return results;
  }

  /** Returns the numbers of the shards that do not answer, from 1. */
  async unavailable(): Promise<number[]> {
    const all = await this.all();
    const failures = await failuresOf(all, ({ connection }) => {
      const ping = connection.select('SELECT 1', { signal: AbortSignal.timeout(pingMs) });
      // The connection may look for a replica first.
      return within(pingMs, ping, () => {
        throw new StoreUnavailableError('no answer');
      });
    });
    return all.flatMap((shard, index) => (failures.has(shard) ? [index + 1] : []));
  }

  /**
   * Resolves when each shard answers; with the servers that do not answer, or lack rows of the others of their shard, if there are
   * any. @throws ShardUnavailableError if a shard does not answer
   */
  async ping(): Promise<StoreHealth> {
    const all = await this.all();
    const [missing, ...absent] = await Promise.all([
      this.unavailable(),
      ...all.map(({ connection }) => connection.absent(pingMs)),
    ]);
    const servers = absent.flat();
    if (missing.length === 0)
      return servers.length > 0 ? { status: 'degraded', servers_missing: servers } : undefined;
    throw new ShardUnavailableError(
      `shards of ClickHouse that do not answer: ${missing.join(', ')}`,
      {},
      missing,
    );
  }

  async close(): Promise<void> {
    const opened = await this.opened.started?.catch(() => []);
    await Promise.all((opened ?? []).map(({ connection }) => connection.close()));
  }

  private async open(): Promise<readonly ShardStore[]> {
    const { cluster, replicated, connection, open } = this.options;
    const hosts = await hostsOf(cluster, connection);
    if (!replicated && hosts.some(({ length }) => length > 1)) throw new NotReplicatedError(cluster);
    return hosts.map(open);
  }
}

/** Calls a function for each shard at once, and returns the errors of those for which it fails, in their order. */
async function failuresOf(
  shards: readonly ShardStore[],
  call: (shard: ShardStore) => Promise<unknown>,
): Promise<Map<ShardStore, Error>> {
  const results = await Promise.allSettled(shards.map(call));
  return new Map(
    results.flatMap((result, index) =>
      result.status === 'rejected' ? [[shards[index]!, result.reason as Error] as const] : [],
    ),
  );
}

/** Returns the host names of the replicas of each shard of a cluster, in their order. @throws UnknownClusterError */
export async function hostsOf(
  cluster: string,
  connection: Pick<ClickHouseConnection, 'select'>,
): Promise<readonly string[][]> {
  const query = `SELECT groupArray(host_name) FROM (SELECT * FROM system.clusters WHERE cluster = {cluster:String} ORDER BY shard_num, replica_num) GROUP BY shard_num ORDER BY shard_num`;
  const rows = await connection.select<[string[]]>(query, { params: { cluster }, purpose: 'lookup' });
  if (rows.length === 0) throw new UnknownClusterError(cluster);
  return rows.map(([hosts]) => hosts);
}

/** Returns the address of the ClickHouse server at a host: all servers of a cluster have the protocol and the HTTP port of `url`. */
export function urlAt(host: string, url: string): string {
  return Object.assign(new URL(url), { hostname: host }).href;
}

/** Groups items by their shard. */
export async function groupBy<T>(
  items: readonly T[],
  shardOf: (item: T) => Promise<ShardStore>,
): Promise<Map<ShardStore, T[]>> {
  const groups = new Map<ShardStore, T[]>();
  for (const item of items) {
    const shard = await shardOf(item);
    const group = groups.get(shard);
    if (group) group.push(item);
    else groups.set(shard, [item]);
  }
  return groups;
}

/** Error: the ClickHouse server knows no cluster of this name. */
export class UnknownClusterError extends Error {
  override readonly name = 'UnknownClusterError';

  constructor(cluster: string) {
    super(
      `ClickHouse knows no cluster '${cluster}': name one of its remote_servers (SELECT DISTINCT cluster FROM system.clusters).`,
    );
  }
}

/** Error: a shard has several servers, whose tables would have different rows. */
export class NotReplicatedError extends Error {
  override readonly name = 'NotReplicatedError';

  constructor(cluster: string) {
    super(
      `A shard of the cluster '${cluster}' has several replicas: set CLICKHOUSE_REPLICATED=true, so that their tables have the same rows.`,
    );
  }
}

/** Error: a stream has partitions in shards that the cluster no longer has. An operator must add them again. */
export class ShardsMissingError extends NonRetryableStoreError {
  constructor(stream: string, spread: number, present: number) {
    super(
      `The partitions of ${JSON.stringify(stream)} are in ${spread} shards, and the cluster has ${present}: name all of them in remote_servers, in their former order.`,
    );
  }
}

/** FNV-1a, 32 bits. Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
