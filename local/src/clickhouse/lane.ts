import { Session } from 'chdb';
import { quote, quoteName } from './sql.js';

/** What a statement needs set on the connection before it runs. */
export interface LaneState {
  database: string;
  settings: ReadonlyMap<string, string>;
  params: ReadonlyMap<string, string>;
}

export interface LaneResult {
  bytes: Uint8Array;
  rows: number;
}

/**
 * One connection to the engine. It runs one statement at a time, and keeps database, settings and parameters between
 * statements, as a ClickHouse session does: a statement that wants the same settings needs nothing set. For others the
 * connection is opened anew, which takes less than a millisecond: taking settings back is itself a statement under
 * these settings, and fails under a low `max_memory_usage`, say.
 *
 * Parameters are given by `SET param_x`, which belongs to the connection: chdb's own binding is shared by all
 * connections of a process and lets only one bound query run at a time.
 */
export class Lane {
  private session: Session;
  private database: string | undefined;
  private settings: ReadonlyMap<string, string> = new Map();
  /** Nothing was set on this connection since it was opened. */
  private fresh = true;
  /** What system.processes shows of the running statement, so that it can be cancelled. */
  marker: string | undefined;

  constructor(
    private readonly path: string,
    private readonly args: string[],
  ) {
    this.session = this.open();
  }

  /** Whether a statement with this state needs nothing set. */
  fits(state: LaneState): boolean {
    return this.database === state.database && sameMap(this.settings, state.settings);
  }

  /**
   * Brings the connection into this state; when that fails nothing of it stays.
   * @throws the engine's error for what it does not know.
   */
  async prepare(state: LaneState): Promise<void> {
    if (!sameMap(this.settings, state.settings)) this.reopen();
    if (!this.fresh) {
      // It may fail for what earlier statements left, not for what this one asks for.
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

  private async bring(state: LaneState): Promise<void> {
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

  /** Forgets all that was set on the connection, also by statements of its users. */
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

  /** Runs a statement and resolves with its whole answer. */
  async run(sql: string, format: string): Promise<LaneResult> {
    const result = await this.session.queryAsync(this.marked(sql), { format });
    return { bytes: result.bytes(), rows: Number(result.rowsRead) };
  }

  /** The answer of a statement block by block, each encoded by itself; the next is computed when it is asked for. */
  async *stream(sql: string, format: string): AsyncGenerator<Uint8Array> {
    const stream = this.session.queryStream(this.marked(sql), { format });
    for await (const chunk of stream) yield chunk.raw();
  }

  /** The next statement chooses its database anew, whichever this connection was in. */
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
