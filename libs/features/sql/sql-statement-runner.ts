import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DEFINITIONS, LOGGER } from '#app';
import type { Principal } from '#http';
import type { Definitions } from '#registry';
import { type Logger, counter } from '#telemetry';
import {
  StreamReadAuthorizer,
  Bulkhead,
  PerKeyConcurrencyLimiter,
  abortWhenKeyEnds,
  idsOfStreams,
} from '#gateway-kit';
import { permittedViews } from './analyst-views.js';
import {
  SqlError,
  SqlRejectedError,
  type CheckedStatement,
  type SqlRequest,
  type SqlResponse,
} from './clickhouse/analyst-sql.js';
import { AnalystSqlRunner } from './clickhouse/analyst-sql-runner.js';
import { ProjectionResults } from './projection-results.js';
import { SqlSettings } from './sql-settings.js';

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

/**
 * Runs SQL statements of analysts. Limits how many run at once, ends them when their key ends, and audits refused ones.
 */
@Injectable()
export class SqlStatementRunner {
  private readonly audited = new Map<string, number>();
  private readonly bulkhead: Bulkhead;
  private readonly running: PerKeyConcurrencyLimiter;

  constructor(
    private readonly sql: AnalystSqlRunner,
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
   * Checks and runs the statement of a request. `send` gets the answer and a warning about it, and resolves when the
   * answer has been sent or the client has disconnected, with whether the answer is complete.
   * @throws SqlError @throws ProblemError @throws StoreUnavailableError
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
      const input = sqlRequest(call, this.sql.database);
      const { views, generations } = permittedViews(this.definitions, caller.access);
      const question = {
        ...input,
        queryId: `${caller.keyId ?? ''}:${input.queryId}`,
        permitted: idsOfStreams(this.definitions).scope(this.streams.ofAny(caller.access)),
        views,
        generations: [...generations.values()].map(({ id }) => id),
      };
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

/** Returns the log members for a failure, without the message of ClickHouse, which may contain values of rows. */
function failureOf(error: unknown): object {
  if (error instanceof SqlRejectedError) return { refused: error.reason, statement: error.outline };
  return error instanceof SqlError ? { clickhouse_code: error.code } : { failed: (error as Error).message };
}

/** The part of an `SqlRequest` that comes from the HTTP request. The authorization scope of the key is added later. */
type SqlInput = Pick<
  SqlRequest,
  'text' | 'params' | 'format' | 'queryId' | 'seconds' | 'transport' | 'acceptEncoding'
>;

/** Parameters in the query of the URL, with any names. */
export type UrlParameters = Readonly<Record<string, string | string[]>>;

/** Parameters that affect the transport of the answer, but not its content. */
const transportParameters = ['client_protocol_version', 'compress', 'enable_http_compression'];

/** Content encodings that the gateway lets ClickHouse use, because it can decode them to find errors in the answer. */
const readableEncodings = ['gzip', 'br', 'deflate'];

/**
 * Parses a request in the form of ClickHouse's HTTP interface. Parameters that are not listed here are settings of
 * ClickHouse, which analysts may not change. Settings of ClickHouse in an SQL request are ignored, because clients send
 * them by default.
 * @throws SqlError for a database other than that of the views
 */
export function sqlRequest(
  { request, parameters }: { request: FastifyRequest; parameters: UrlParameters },
  database: string,
): SqlInput {
  const given = new Map(
    Object.entries(parameters).map(([name, value]) => [name, [value].flat().at(-1) ?? '']),
  );
  const header = (name: string) => [request.headers[name]].flat()[0];
  const named = given.get('database') ?? header('x-clickhouse-database') ?? '';
  if (!['', 'default', database].includes(named)) {
    const detail = `There is no database ${JSON.stringify(named)} to read; leave it out, or name ${database}.`;
    throw new SqlError(81, 404, `${detail} (UNKNOWN_DATABASE)`);
  }
  const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  const params = [...given].filter(([name]) => /^param_\w{1,128}$/.test(name));
  const queryId = given.get('query_id') ?? '';
  const seconds = Number(given.get('max_execution_time'));
  return {
    text: [given.get('query') ?? '', body].filter(Boolean).join('\n'),
    params: new Map(params.map(([name, value]) => [name.slice('param_'.length), value])),
    format: given.get('default_format') ?? header('x-clickhouse-format'),
    queryId: /^[\w.:-]{1,100}$/.test(queryId) ? queryId : request.id,
    // ClickHouse takes a limit below a microsecond for no limit.
    seconds: seconds > 0 ? Math.ceil(seconds) : undefined,
    transport: Object.fromEntries(
      [...given].filter(([name, value]) => transportParameters.includes(name) && /^\d{1,9}$/.test(value)),
    ),
    acceptEncoding: acceptedEncodings(header('accept-encoding')),
  };
}

function acceptedEncodings(accept: string | undefined): string | undefined {
  const named = (accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const known = readableEncodings.filter((encoding) => named.includes(encoding));
  return known.length === 0 ? undefined : known.join(', ');
}

export const sqlRejections = counter('tributary_sql_refused_total', {
  help: 'SQL statements of analysts that were rejected because they use something that is not permitted.',
});
