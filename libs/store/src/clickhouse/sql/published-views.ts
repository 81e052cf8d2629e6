import type { AnalystViews } from '../../sql-queries.js';
import type { Connection } from '../connection.js';
import { quotedName } from './literals.js';
import type { SqlDatabases } from './row-filters.js';
import { viewSelects } from './view-statements.js';

/** The views in ClickHouse, brought to what they shall be. Several processes may do the same at once. */
export class PublishedViews {
  private selects: ReadonlyMap<string, string> = new Map();
  private made = new Map<string, string>();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: Connection,
    private readonly databases: SqlDatabases,
  ) {}

  /** The names of all views that shall be there. */
  get names(): readonly string[] {
    return [...this.selects.keys()];
  }

  publish(views: AnalystViews): Promise<void> {
    this.selects = viewSelects(views, this.databases.tables);
    this.running = this.running.catch(() => undefined).then(() => this.bring(this.selects));
    return this.running;
  }

  private async bring(selects: ReadonlyMap<string, string>): Promise<void> {
    const database = quotedName(this.databases.views);
    if (this.made.size === 0) await this.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`);
    for (const [name, select] of selects) {
      if (this.made.get(name) === select) continue;
      await this.connection.command(`CREATE OR REPLACE VIEW ${database}.${quotedName(name)} AS ${select}`);
      this.made.set(name, select);
    }
    for (const name of await this.present()) {
      if (selects.has(name)) continue;
      await this.connection.command(`DROP VIEW IF EXISTS ${database}.${quotedName(name)}`);
      this.made.delete(name);
    }
  }

  private async present(): Promise<string[]> {
    const rows = await this.connection.select<[string]>(
      'SELECT name FROM system.tables WHERE database = {database:String}',
      { params: { database: this.databases.views }, purpose: 'lookup' },
    );
    return rows.map(([name]) => name);
  }
}
