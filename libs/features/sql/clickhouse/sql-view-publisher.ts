import { createHash } from 'node:crypto';
import type { AnalystViews } from './analyst-sql.js';
import { type ClickHouseServers, type ClickHouseConnection, quoteText, quoteIdentifier } from '#store';
import type { TableAndViewDatabases } from './row-filters.js';
import { viewSelects } from './view-statements.js';

/**
 * Manages the analysts' views in ClickHouse. The comment of each view is a hash of its SELECT, by which every
 * process detects which views are up to date, and the generation of its projection. Several processes may publish concurrently.
 * On a cluster, each server has all views, because any of them may receive a statement.
 */
export class SqlViewPublisher {
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly servers: Pick<ClickHouseServers, 'all'>,
    private readonly databases: TableAndViewDatabases,
  ) {}

  /**
   * Resolves with the generations that each of these views shows now, whichever process has published it. Servers that are down show
   * none. @throws StoreUnavailableError if all are down
   */
  async generationsOf(
    views: readonly string[],
    signal: AbortSignal,
  ): Promise<(readonly [view: string, generation: string])[]> {
    const servers = await this.servers.all();
    const asked = await Promise.allSettled(servers.map((server) => this.present(server, signal)));
    const answered = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (answered.length === 0) throw (asked[0] as PromiseRejectedResult).reason;
    return answered.flatMap((comments) =>
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
    const failures: Error[] = [];
    for (const server of await this.servers.all())
      await this.bringTo(server, selects, projections).catch((error: Error) => failures.push(error));
    if (failures.length === 1) throw failures[0]!;
    if (failures.length > 1)
      throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  }

  private async bringTo(
    server: ClickHouseConnection,
    selects: ReadonlyMap<string, string>,
    projections: AnalystViews['projections'],
  ): Promise<void> {
    await server.command(`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(this.databases.views)}`);
    const present = await this.present(server);
    const failures: Error[] = [];
    const attempt = async (name: string, statement: string): Promise<void> => {
      try {
        await server.command(statement);
      } catch (error) {
        failures.push(new Error(`The view ${name}: ${(error as Error).message}`, { cause: error }));
      }
    };
    const generations = new Map(projections.map(({ view, generation }) => [view, generation]));
    for (const [name, select] of selects) {
      const comment = [hashOf(select), generations.get(name) ?? []].flat().join(' ');
      if (present.get(name) === comment) continue;
      const view = `CREATE OR REPLACE VIEW ${this.qualified(name)} AS ${select} COMMENT ${quoteText(comment)}`;
      await attempt(name, view);
    }
    for (const name of present.keys())
      if (!selects.has(name)) await attempt(name, `DROP VIEW IF EXISTS ${this.qualified(name)}`);
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  }

  private qualified(name: string): string {
    return `${quoteIdentifier(this.databases.views)}.${quoteIdentifier(name)}`;
  }

  /** Returns the comments of the views that ClickHouse has now, by the name of the view. */
  private async present(server: ClickHouseConnection, signal?: AbortSignal): Promise<Map<string, string>> {
    const rows = await server.select<[string, string]>(
      'SELECT name, comment FROM system.tables WHERE database = {database:String}',
      { params: { database: this.databases.views }, purpose: 'lookup', ...(signal && { signal }) },
    );
    return new Map(rows);
  }
}

function hashOf(select: string): string {
  return createHash('sha256').update(select).digest('hex').slice(0, 32);
}
