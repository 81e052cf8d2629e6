import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { engineConfig } from './engine-config.js';
import { EngineConnection, type StatementContext } from './engine-connection.js';
import { ConnectionPool } from './connection-pool.js';
import type { OverrunWatch } from './overrun-watch.js';
import { quote } from './sql.js';

/** Data folder and memory limit of the embedded ClickHouse engine. */
interface EmbeddedClickHouseOptions {
  dataDir: string;
  /** Bytes that the engine may allocate in total; a query that exceeds them fails. */
  maxMemoryBytes: number;
  selectLanes: number;
  insertLanes: number;
  /** Connections for statements with `readonly = 1`, which analysts may have written. */
  analystLanes: number;
  /** Watches these statements for overruns of their time limit. Without it, nothing ends such a statement. */
  overruns?: Pick<OverrunWatch, 'watch'>;
}

/** The connections of the embedded engine, and the watch over statements of analysts. */
interface EngineParts extends Record<'reads' | 'inserts' | 'analysts', ConnectionPool> {
  control: EngineConnection;
  overruns: Pick<OverrunWatch, 'watch'> | undefined;
}

/**
 * The embedded ClickHouse engine (chdb) in this process, with its connections: some for reads and DDL, others for
 * inserts and for statements of analysts, so that none of them waits for another, and one that cancels statements.
 */
export class EmbeddedClickHouse {
  private running = 0;
  private purge: NodeJS.Timeout | undefined;
  private commands: Promise<void> = Promise.resolve();

  private constructor(
    readonly intakeDir: string,
    readonly version: string,
    private readonly parts: EngineParts,
  ) {}

  get reads(): ConnectionPool {
    return this.parts.reads;
  }

  get inserts(): ConnectionPool {
    return this.parts.inserts;
  }

  /** Connections for statements with `readonly = 1`, which analysts may have written and which may run for long. */
  get analysts(): ConnectionPool {
    return this.parts.analysts;
  }

  /** Watches a running statement with this time limit in seconds. Returns a function that ends the watch. */
  watchOverrun(seconds: number): () => void {
    return this.parts.overruns?.watch(seconds) ?? nothing;
  }

  /** Opens the data folder, or creates it. Removes the intake files of an earlier process. */
  static async open(options: EmbeddedClickHouseOptions): Promise<EmbeddedClickHouse> {
    const dataDir = resolve(options.dataDir);
    const path = join(dataDir, 'store');
    const intakeDir = join(dataDir, 'intake');
    await mkdir(path, { recursive: true });
    await mkdir(intakeDir, { recursive: true });
    for (const left of await readdir(intakeDir)) await rm(join(intakeDir, left), { force: true });
    const config = join(dataDir, 'engine.xml');
    await writeFile(config, engineConfig(config), { mode: 0o600 });
    const args = [`--config-file=${config}`, ...engineArgs(options.maxMemoryBytes)];
    const lanes = (count: number): EngineConnection[] =>
      Array.from({ length: count }, () => new EngineConnection(path, args));
    const control = new EngineConnection(path, args);
    const { bytes } = await control.run('SELECT version()', 'TSVRaw');
    const version = Buffer.from(bytes).toString('utf8').trim();
    const limits = { maxWaiting: 200, maxWaitMs: 60_000 };
    const pools = {
      reads: new ConnectionPool(lanes(options.selectLanes), limits),
      inserts: new ConnectionPool(lanes(options.insertLanes), limits),
      analysts: new ConnectionPool(lanes(options.analystLanes), limits),
    };
    return new EmbeddedClickHouse(intakeDir, version, { ...pools, control, overruns: options.overruns });
  }

  /** Runs `work` on a connection of the pool, after bringing the connection into the given state. */
  async onLane<T>(
    pool: ConnectionPool,
    state: StatementContext,
    work: (lane: EngineConnection) => Promise<T>,
  ): Promise<T> {
    const lane = await pool.acquire(state);
    this.running++;
    try {
      await lane.prepare(state);
      return await work(lane);
    } finally {
      lane.marker = undefined;
      pool.release(lane);
      this.running--;
      this.schedulePurge();
    }
  }

  /** Makes the engine stop the statement with this marker; the statement fails with QUERY_WAS_CANCELLED. */
  cancel(marker: string): Promise<void> {
    const started = quote(`/*${marker}*/`);
    return this.command(`KILL QUERY WHERE startsWith(query, ${started}) ASYNC`);
  }

  /** Runs a statement on the control connection after the previous one has ended. Errors are ignored. */
  private command(sql: string): Promise<void> {
    this.commands = this.commands.then(() => this.parts.control.run(sql, 'Null')).then(nothing, nothing);
    return this.commands;
  }

  /**
   * Makes each connection select its database again before its next statement, after a database was dropped, so that a
   * statement in the dropped database fails.
   */
  forgetDatabases(): void {
    for (const pool of this.pools) pool.forEach((lane) => lane.forgetDatabase());
  }

  get busy(): number {
    return this.pools.reduce((sum, { busy }) => sum + busy, 0);
  }

  /** Closes the connections. The caller ensures that no statement runs. */
  close(): void {
    clearTimeout(this.purge);
    for (const pool of this.pools) pool.close();
    this.parts.control.close();
  }

  private get pools(): ConnectionPool[] {
    return [this.reads, this.inserts, this.analysts];
  }

  /** Returns freed memory, which the allocator keeps for reuse, to the system after 5 s without a statement. */
  private schedulePurge(): void {
    clearTimeout(this.purge);
    this.purge = setTimeout(() => {
      if (this.running === 0) void this.command('SYSTEM JEMALLOC PURGE');
    }, 5_000);
    this.purge.unref();
  }
}

const nothing = (): void => undefined;

/**
 * Command-line arguments that reduce the caches. The engine's defaults are for a large server: its caches may grow to
 * 5 GB each.
 */
function engineArgs(maxMemoryBytes: number): string[] {
  const mb = 1 << 20;
  return [
    `--max_server_memory_usage=${maxMemoryBytes}`,
    `--mark_cache_size=${128 * mb}`,
    `--primary_index_cache_size=${128 * mb}`,
    `--index_mark_cache_size=${32 * mb}`,
    `--query_condition_cache_size=${16 * mb}`,
  ];
}
