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

/** One server of a shard. */
class Replica {
  /** When an insert may wait for this replica again, on the clock of `performance.now()`. */
  absentUntil = 0;
  /** Creates the tables. Must succeed before the next use, if it is set. */
  preparation: SharedCall<void> | undefined;

  constructor(readonly server: ClickHouseServer) {}

  get connection(): ClickHouseConnection {
    return this.server.connection;
  }

  /** Resolves when the tables exist. @throws StoreUnavailableError */
  async prepared(): Promise<void> {
    await this.preparation?.result();
  }

  /**
   * Resolves when the replica has every part that the others had announced before this call.
   * Source: https://clickhouse.com/docs/sql-reference/statements/system#sync-replica
   * @throws StoreUnavailableError if it does not answer, or needs longer than `syncMs`
   */
  async sync(): Promise<void> {
    await within(syncMs, this.fetchMissing(), () => {
      throw new StoreUnavailableError('a replica of ClickHouse lags behind the others');
    });
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
  async prepare(createTables: (server: ClickHouseServer) => Promise<void>): Promise<void> {
    const errors: Error[] = [];
    for (const replica of this.replicas)
      replica.preparation = new SharedCall(() => createTables(replica.server));
    // One after the other: an ALTER of one replica reaches the others through Keeper.
    for (const replica of this.replicas) await replica.prepared().catch((error: Error) => errors.push(error));
    const permanent = errors.find((error) => !isRetryableStoreError(error));
    const fatal = permanent ?? (errors.length === this.replicas.length ? errors[0] : undefined);
    if (fatal) throw fatal;
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
    await this.run((connection) => connection.command(...statement));
    await this.syncOthers();
  }

  async insert(...statement: Parameters<ClickHouseConnection['insert']>): Promise<void> {
    await this.run((connection) => connection.insert(...statement));
    await this.syncOthers();
  }

  async end(queryId: string): Promise<boolean> {
    const ended = await Promise.all(this.replicas.map(({ connection }) => connection.end(queryId)));
    return ended.includes(true);
  }

  async caughtUp(): Promise<void> {
    if (this.replicas.length > 1) await this.onChosen((replica) => replica.sync());
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ connection }) => connection.close()));
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
      if (isRetryableStoreError(error) && this.chosen === chosen)
        this.chosen = new SharedCall(() => this.choose());
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

  /** Waits until each other replica that answers has the parts of the one in use. */
  private async syncOthers(): Promise<void> {
    if (this.replicas.length === 1) return;
    const used = await this.chosen.result();
    const now = performance.now();
    const others = this.replicas.filter((replica) => replica !== used && replica.absentUntil <= now);
    await Promise.all(
      others.map((replica) => replica.sync().catch(() => void (replica.absentUntil = now + absentMs))),
    );
  }
}
