import { Session } from 'chdb';
import { quote, quoteName } from './sql.js';

/** Database, settings and parameters that a connection must have for a statement. */
export interface StatementContext {
  database: string;
  settings: ReadonlyMap<string, string>;
  params: ReadonlyMap<string, string>;
}

/** The encoded rows that a statement has returned, and their number. */
export interface StatementResult {
  bytes: Uint8Array;
  rows: number;
}

/**
 * One connection to the embedded ClickHouse engine (chdb). A connection runs one statement at a time, and keeps
 * database, settings and parameters between statements, like a ClickHouse session. A statement with the same settings
 * needs no preparation. For other settings the connection is reopened, which takes less than a millisecond. Resetting
 * them by a statement could fail, because that statement runs under the old settings (for instance a low
 * `max_memory_usage`).
 *
 * Parameters are set by `SET param_x`, which affects only this connection. chdb's own binding is shared by all
 * connections of a process and allows only one bound query at a time.
 */
export class EngineConnection {
  private session: Session;
  private database: string | undefined;
  private settings: ReadonlyMap<string, string> = new Map();
  /** True while no setting was made on this connection since it was opened. */
  private fresh = true;
  /** The marker of the running statement in system.processes, by which it can be cancelled. */
  marker: string | undefined;

  constructor(
    private readonly path: string,
    private readonly args: string[],
  ) {
    this.session = this.open();
  }

  /** Whether the connection needs no preparation for a statement with this state. */
  fits(state: StatementContext): boolean {
    return this.database === state.database && sameMap(this.settings, state.settings);
  }

  /**
   * Brings the connection into this state; a failure leaves no part of it.
   * @throws the engine's error for an unknown database, setting or type.
   */
  async prepare(state: StatementContext): Promise<void> {
    if (!sameMap(this.settings, state.settings)) this.reopen();
    if (!this.fresh) {
      // The first attempt may fail because of the settings of earlier statements. Only the second attempt on a fresh
      // connection decides.
      if (await this.bring(state).then(succeeded, failed)) return;
      this.reopen();
    }
    try {
      await this.bring(state);
    } catch (error) {
      this.reopen();
      throw error;
    }
  }

  private async bring(state: StatementContext): Promise<void> {
    if (this.database !== state.database) {
      this.fresh = false;
      await this.session.queryAsync(`USE ${quoteName(state.database)}`);
      this.database = state.database;
    }
    const changes = [
      ...[...state.settings]
        .filter(([name]) => !this.settings.has(name))
        .map(([name, value]) => `${name} = ${quote(value)}`),
      ...[...state.params].map(([name, value]) => `param_${name} = ${quote(value)}`),
    ];
    if (changes.length === 0) return;
    this.fresh = false;
    await this.session.queryAsync(`SET ${changes.join(', ')}`);
    this.settings = state.settings;
  }

  /** Resets all settings of the connection, including those made by statements of users. */
  reopen(): void {
    this.session.close();
    this.session = this.open();
    this.database = undefined;
    this.settings = new Map();
    this.fresh = true;
  }

  private open(): Session {
    return new Session(this.path, { connectionArgs: this.args });
  }

  /** Runs a statement and resolves with its complete answer. */
  async run(sql: string, format: string): Promise<StatementResult> {
    const result = await this.session.queryAsync(this.marked(sql), { format });
    return { bytes: result.bytes(), rows: Number(result.rowsRead) };
  }

  /**
   * Returns the answer of a statement block by block, each encoded separately. Each block is computed when it is
   * requested. A caller that needs no more blocks returns the generator.
   */
  async *stream(sql: string, format: string): AsyncGenerator<Uint8Array> {
    const stream = this.session.queryStream(this.marked(sql), { format });
    let isComplete = false;
    try {
      for await (const chunk of stream) yield chunk.raw();
      isComplete = true;
    } finally {
      if (!isComplete) await this.endStream();
    }
  }

  /**
   * Ends a stream that failed or was left: chdb keeps it, with its locks on tables and its entry in system.processes, until
   * the connection's next statement. Closing the connection while the stream's threads still run can leave gigabytes
   * allocated.
   */
  private async endStream(): Promise<void> {
    await this.session.queryAsync('SELECT 1', { format: 'Null' }).catch(() => this.reopen());
  }

  /** Makes the next statement select its database again. */
  forgetDatabase(): void {
    this.database = undefined;
  }

  close(): void {
    this.session.close();
  }

  private marked(sql: string): string {
    return this.marker ? `/*${this.marker}*/ ${sql}` : sql;
  }
}

const succeeded = (): boolean => true;
const failed = (): boolean => false;

function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}
