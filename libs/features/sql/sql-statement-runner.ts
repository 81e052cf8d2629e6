import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DEFINITIONS, LOGGER } from '#app';
import type { Principal } from '#http';
import type { Definitions, ProjectionGeneration } from '#registry';
import {
  SqlError,
  SqlRejectedError,
  type AnalystSqlRunner,
  type CheckedStatement,
  type SqlRequest,
  type SqlResponse,
} from '#store';
import type { Logger } from '#telemetry';
import { StreamReadAuthorizer, Bulkhead, PerKeyConcurrencyLimiter, abortWhenKeyEnds } from '#gateway-kit';
import { permittedViews } from './analyst-views.js';
import { sqlRequest, type UrlParameters } from './sql-request.js';
import { ProjectionResults } from './projection-results.js';
import { SqlSettings } from './sql-settings.js';
import { sqlRejections } from './sql-metrics.js';

/** A parsed SQL statement of an analyst, and the caller. */
export interface SqlHttpRequest {
  request: FastifyRequest;
  parameters: UrlParameters;
  caller: Principal;
  /** Aborted when the client disconnects. */
  client: AbortSignal;
}

/** Limit of statements that wait for a slot; the next one is refused. */
const queued = 100;

/** Limit of statements of one key that wait for others of this key: the panels of some dashboards. */
const queuedPerKey = 50;

/** Longest time that a statement waits for a slot, in milliseconds. */
const turnMs = 10_000;

/** Minimum interval between two audit entries about one key, in milliseconds. */
const auditEveryMs = 1_000;

/** Limit of keys whose last audit entry is remembered. */
const mostAudited = 10_000;

const switchedOff =
  'SQL is switched off: SQL_CLICKHOUSE_USER names no ClickHouse user for analysts (docs/analysts.md). (NOT_IMPLEMENTED)';

/** Injection token of the `AnalystSqlRunner`: ClickHouse with the user for analysts. */
export const SQL = Symbol('AnalystSqlRunner');

/**
 * Runs SQL statements of analysts. Limits how many run at once, ends them when their key ends, and audits refused ones.
 */
@Injectable()
export class SqlStatementRunner {
  private readonly audited = new Map<string, number>();
  private readonly bulkhead: Bulkhead;
  private readonly running: PerKeyConcurrencyLimiter;

  constructor(
    @Inject(SQL) private readonly sql: AnalystSqlRunner,
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly streams: StreamReadAuthorizer,
    private readonly results: ProjectionResults,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly settings: SqlSettings,
  ) {
    this.bulkhead = new Bulkhead({ concurrent: settings.SQL_CONCURRENT, queued, waitMs: turnMs });
    this.running = new PerKeyConcurrencyLimiter(settings.SQL_CONCURRENT_PER_KEY, 'SQL statements');
  }

  /**
   * Checks and runs the statement of a request. `send` gets the answer and a warning about it, and resolves when the answer has been sent or the client has
   * disconnected, with whether the answer is complete.
   * @throws SqlError
   * @throws ProblemError
   * @throws StoreUnavailableError
   */
  async run(
    call: SqlHttpRequest,
    send: (answer: SqlResponse, statement: Pick<CheckedStatement, 'warning'>) => Promise<boolean>,
  ): Promise<void> {
    const { request, caller, client } = call;
    if (this.settings.SQL_CLICKHOUSE_USER === '') throw new SqlError(48, 501, switchedOff);
    const watch = abortWhenKeyEnds(caller, client);
    const log = { key_id: caller.keyId ?? '', request_id: request.id };
    const began = performance.now();
    /** The id of a statement that ClickHouse may still run. */
    let open: string | undefined;
    let leave: (() => void) | undefined;
    const line = (more: object) =>
      this.logger.info({ ...log, ms: Math.round(performance.now() - began), ...more }, 'sql');
    try {
      const limits = { queued: queuedPerKey, waitMs: turnMs };
      leave = await this.running.enterInTurn(caller.keyId, watch.signal, limits);
      const { question, generations } = this.question(call);
      const statement = await this.bulkhead.run(watch.signal, (signal) => this.sql.check(question, signal));
      // Without a slot: statements that need no results do not wait for those that do.
      await this.results.bringUpToDate(statement.views, generations, watch.signal);
      await this.bulkhead.run(watch.signal, async (signal) => {
        open = question.queryId;
        const answer = await this.sql.run(question, statement, signal);
        const complete = await send(answer, statement);
        if (answer.body.readableEnded) open = undefined;
        line({ query_id: question.queryId, statement: statement.outline, complete });
      });
    } catch (error) {
      if (error instanceof SqlError) open = undefined;
      if (error instanceof SqlRejectedError) this.audit(error, caller);
      line(failureOf(error));
      throw error;
    } finally {
      watch.end();
      // Otherwise one key could start statements that cannot be cancelled, until ClickHouse has no thread left.
      if (open === undefined) leave?.();
      else void this.sql.ended(open).finally(leave);
    }
  }

  private question({ request, parameters, caller: { keyId, access } }: SqlHttpRequest): {
    question: SqlRequest;
    generations: ReadonlyMap<string, ProjectionGeneration>;
  } {
    const input = sqlRequest({ request, parameters }, this.sql.database);
    const { views, generations } = permittedViews(this.definitions, access);
    const question = {
      ...input,
      queryId: `${keyId ?? ''}:${input.queryId}`,
      permitted: this.streams.ofAny(access),
      views,
      generations: [...generations.values()].map(({ id }) => id),
    };
    return { question, generations };
  }

  /**
   * Writes at most one audit entry per key and second. Without this limit, a key with many refused statements would
   * fill the audit stream.
   */
  private audit(refusal: SqlRejectedError, { keyId, actor }: Principal): void {
    sqlRejections.inc();
    const name = keyId ?? '';
    const now = performance.now();
    if (now - (this.audited.get(name) ?? -Infinity) < auditEveryMs) return;
    if (this.audited.size >= mostAudited) this.audited.clear();
    this.audited.set(name, now);
    const after = { reason: refusal.reason, statement: refusal.outline.slice(0, 4_000) };
    const entry = { event_type: 'sql.refused', kind: 'sql', name, after };
    this.definitions.audit(entry, actor).catch((err: unknown) => {
      this.logger.warn({ err, key_id: keyId }, 'A refused SQL statement could not be written to the audit');
    });
  }
}

/**
 * Returns the log members for a failure. The log members omit the message of ClickHouse, which may contain values of
 * rows.
 */
function failureOf(error: unknown): object {
  if (error instanceof SqlRejectedError) return { refused: error.reason, statement: error.outline };
  return error instanceof SqlError ? { clickhouse_code: error.code } : { failed: (error as Error).message };
}
