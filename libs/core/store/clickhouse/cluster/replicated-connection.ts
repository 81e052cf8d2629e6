import type { Readable } from 'node:stream';
import { SharedCall, within } from '#async';
import { isRetryableStoreError, StoreUnavailableError } from '../../errors.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';
import { quoteIdentifier } from '../connection/sql-params.js';

/** Milliseconds for which a replica may fetch the parts that it lacks before another one is used, or none waits for it. */
const syncMs = 5_000;
/** Milliseconds for which nobody waits for a replica that did not answer, or lagged. */
const absentMs = 30_000;

const replicatedTables = `SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(engine, 'Replicated') ORDER BY name`;

/** A server, and a connection to its database. */
export interface ClickHouseServer {
  url: string;
  connection: ClickHouseConnection;
}

/** Creates the tables of a server. @param others The other servers of its shard, whose tables it must have. */
export type CreateTables = (server: ClickHouseServer, others: readonly ClickHouseServer[]) => Promise<void>;

/** One server of a shard. */
class Replica {
  /** When an insert may wait for this replica again, on the clock of `performance.now()`. */
  absentUntil = 0;
  /** Creates the tables. Must succeed before the next use, if it is set. */
  preparation: SharedCall<void> | undefined;
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(readonly server: ClickHouseServer) {}

  get connection(): ClickHouseConnection {
    return this.server.connection;
  }

  /** Resolves when the tables exist. @throws StoreUnavailableError */
  async prepared(): Promise<void> {
    await this.preparation?.result();
  }

  /**
   * Resolves when the replica has every part that the others had announced before this call. Calls during a call share the next one.
   * Source: https://clickhouse.com/docs/sql-reference/statements/system#sync-replica
   * @throws StoreUnavailableError if it does not answer, or needs longer than `syncMs`
   */
  sync(): Promise<void> {
    this.next ??= this.last
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        this.last = within(syncMs, this.fetchMissing(), () => {
          throw new StoreUnavailableError(`the replica ${this.server.url} lags behind the others`);
        });
        return this.last;
      });
    return this.next;
  }

  private async fetchMissing(): Promise<void> {
    await this.prepared();
    const tables = await this.connection.select<[string]>(replicatedTables, { purpose: 'lookup' });
    await Promise.all(
      tables.map(([table]) =>
        this.connection.command(`SYSTEM SYNC REPLICA ${quoteIdentifier(table)} LIGHTWEIGHT`),
      ),
    );
  }
}

/**
 * A connection to the replicas of a shard. All statements go to one of them, the first that answers and has the parts of the others:
 * what decides never reads a replica that lags. If it becomes unavailable, the statement fails, and its repeat goes to
 * the next one. A statement that writes resolves when each replica that answers within five seconds has its parts; so a position
 * that is committed after it can be read from each of them.
 */
export class ReplicatedConnection implements ClickHouseConnection {
  private readonly replicas: readonly Replica[];
  private chosen = new SharedCall(() => this.choose());

  /** @param servers The replicas of the shard, in the order in which they are preferred. */
  constructor(servers: readonly ClickHouseServer[]) {
    this.replicas = servers.map((server) => new Replica(server));
  }

  /**
   * Creates the tables of each replica that answers. Those of the others are created before their next use.
   * @throws StoreUnavailableError if no replica answers; the error of one that no repeat helps
   */
  async prepare(createTables: CreateTables): Promise<void> {
    const errors: Error[] = [];
    for (const replica of this.replicas) {
      const others = this.replicas.flatMap(({ server }) => (server === replica.server ? [] : [server]));
      replica.preparation = new SharedCall(() => createTables(replica.server, others));
    }
    // One after the other: an ALTER of one replica reaches the others through Keeper.
    for (const replica of this.replicas) await replica.prepared().catch((error: Error) => errors.push(error));
    throwIfFatal(errors, this.replicas.length);
  }

  select<Row extends readonly unknown[]>(
    ...query: Parameters<ClickHouseConnection['select']>
  ): Promise<Row[]> {
    return this.run((connection) => connection.select<Row>(...query));
  }

  open(...query: Parameters<ClickHouseConnection['open']>): Promise<Readable> {
    return this.run((connection) => connection.open(...query));
  }

  async command(...statement: Parameters<ClickHouseConnection['command']>): Promise<void> {
    await this.write(async (connection) => {
      try {
        await connection.command(...statement);
      } catch (error) {
        // The replicas that answer have done it, and the others do it when they are back.
        if (!doneByActiveReplicas.test((error as Error).message)) throw error;
      }
    });
  }

  async insert(...statement: Parameters<ClickHouseConnection['insert']>): Promise<void> {
    await this.write((connection) => connection.insert(...statement));
  }

  async end(queryId: string): Promise<boolean> {
    const ended = await Promise.all(this.replicas.map(({ connection }) => connection.end(queryId)));
    return ended.includes(true);
  }

  async caughtUp(): Promise<void> {
    if (this.replicas.length > 1) await this.onChosen((replica) => replica.sync());
  }

  /** Returns the host names of the replicas that do not have all parts of the others within this time. Empty for a single server. */
  async absent(withinMs: number): Promise<string[]> {
    if (this.replicas.length === 1) return [];
    const asked = this.replicas.map(async (replica) => {
      const host = new URL(replica.server.url).hostname;
      const synced = replica.sync().then(
        () => [],
        () => [host],
      );
      return await within(withinMs, synced, () => [host]);
    });
    return (await Promise.all(asked)).flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ connection }) => connection.close()));
  }

  private async write(statement: (connection: ClickHouseConnection) => Promise<void>): Promise<void> {
    const used = await this.onChosen(async (replica) => {
      await statement(replica.connection);
      return replica;
    });
    await this.syncOthers(used);
  }

  private run<T>(statement: (connection: ClickHouseConnection) => Promise<T>): Promise<T> {
    return this.onChosen(({ connection }) => statement(connection));
  }

  private async onChosen<T>(use: (replica: Replica) => Promise<T>): Promise<T> {
    const { chosen } = this;
    const replica = await chosen.result();
    try {
      return await use(replica);
    } catch (error) {
      if (this.chosen === chosen && isOfReplica(error)) this.chosen = new SharedCall(() => this.choose());
      throw error;
    }
  }

  /** Returns the first replica that answers and has all parts. @throws the error of the first one if none does */
  private async choose(): Promise<Replica> {
    const errors: Error[] = [];
    for (const replica of this.replicas) {
      try {
        if (this.replicas.length > 1) await replica.sync();
        else await replica.prepared();
        return replica;
      } catch (error) {
        errors.push(error as Error);
      }
    }
    throw errors[0]!;
  }

  /**
   * Waits until each replica that answers has the parts of the one that was written to. The one in use must have them: another
   * statement may have chosen it meanwhile.
   */
  private async syncOthers(written: Replica): Promise<void> {
    if (this.replicas.length === 1) return;
    const used = await this.chosen.result();
    if (used !== written) await used.sync();
    const now = performance.now();
    const others = this.replicas.filter(
      (replica) => replica !== written && replica !== used && replica.absentUntil <= now,
    );
    await Promise.all(
      others.map((replica) => replica.sync().catch(() => void (replica.absentUntil = now + absentMs))),
    );
  }
}

/** Throws an error that no repeat helps, or the first one if each of the attempts has failed. */
export function throwIfFatal(errors: readonly Error[], attempts: number): void {
  const fatal =
    errors.find((error) => !isRetryableStoreError(error)) ??
    (errors.length === attempts ? errors[0] : undefined);
  if (fatal) throw fatal;
}

/** ClickHouse's message when all replicas that answer have removed rows, and others are down. */
const doneByActiveReplicas = /some replicas are inactive right now/;

/** Whether an error can be one of the replica itself, so that another one may do better. */
function isOfReplica(error: unknown): boolean {
  return isRetryableStoreError(error) || (error as Error).name === 'TimeoutError';
}
