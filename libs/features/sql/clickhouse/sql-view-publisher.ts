import { createHash } from 'node:crypto';
import type { AnalystViews } from './analyst-sql.js';
import { type StoreClickHouseClient, quoteText, quoteIdentifier } from '#store';
import type { TableAndViewDatabases } from './row-filters.js';
import { viewSelects } from './view-statements.js';

/**
 * Manages the analysts' views in ClickHouse. The comment of each view is a hash of its SELECT, by which every
 * process detects which views are up to date, and the generation of its projection. Several processes may publish concurrently.
 */
export class SqlViewPublisher {
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: StoreClickHouseClient,
    private readonly databases: TableAndViewDatabases,
  ) {}

  /** Resolves with the generation that each of these views shows now, whichever process has published it. */
  async generationsOf(views: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
    const comments = await this.present(signal);
    return new Map(
      views.flatMap((view) => {
        const generation = comments.get(view)?.split(' ')[1];
        return generation === undefined ? [] : [[view, generation] as const];
      }),
    );
  }

  /**
   * Creates missing SQL views in ClickHouse, replaces changed ones and drops all others.
   * @throws AggregateError with one error for each view that ClickHouse rejects; the other views are published
   */
  publish(views: AnalystViews): Promise<void> {
    const selects = viewSelects(views, this.databases.tables);
    this.running = this.running.catch(() => undefined).then(() => this.bring(selects, views.projections));
    return this.running;
  }

  private async bring(
    selects: ReadonlyMap<string, string>,
    projections: AnalystViews['projections'],
  ): Promise<void> {
    await this.connection.command(`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(this.databases.views)}`);
    const present = await this.present();
    const failures: Error[] = [];
    const generations = new Map(projections.map(({ view, generation }) => [view, generation]));
    for (const [name, select] of selects) {
      const comment = [hashOf(select), generations.get(name) ?? []].flat().join(' ');
      if (present.get(name) === comment) continue;
      const view = `CREATE OR REPLACE VIEW ${this.qualified(name)} AS ${select} COMMENT ${quoteText(comment)}`;
      await this.attempt(name, view, failures);
    }
    for (const name of present.keys())
      if (!selects.has(name))
        await this.attempt(name, `DROP VIEW IF EXISTS ${this.qualified(name)}`, failures);
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  }

  private async attempt(name: string, statement: string, failures: Error[]): Promise<void> {
    try {
      await this.connection.command(statement);
    } catch (error) {
      const message = `The view ${name}: ${(error as Error).message}`;
      failures.push(new Error(message, { cause: error }));
    }
  }

  private qualified(name: string): string {
    return `${quoteIdentifier(this.databases.views)}.${quoteIdentifier(name)}`;
  }

  /** Returns the comments of the views that ClickHouse has now, by the name of the view. */
  private async present(signal?: AbortSignal): Promise<Map<string, string>> {
    const rows = await this.connection.select<[string, string]>(
      'SELECT name, comment FROM system.tables WHERE database = {database:String}',
      { params: { database: this.databases.views }, purpose: 'lookup', ...(signal && { signal }) },
    );
    return new Map(rows);
  }
}

function hashOf(select: string): string {
  return createHash('sha256').update(select).digest('hex').slice(0, 32);
}
