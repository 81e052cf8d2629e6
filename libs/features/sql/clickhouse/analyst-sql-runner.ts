import { setTimeout as sleep } from 'node:timers/promises';
import { reservedStreamPrefix } from '#api';
import {
  ClickHouseServers,
  quoteIdentifier,
  quoteText,
  type ClickHouseStoreOptions,
  type ClickHouseConnection,
} from '#store';
import {
  type AnalystViews,
  type CheckedStatement,
  type SqlResponse,
  type SqlRequest,
  SqlError,
  SqlRejectedError,
} from './analyst-sql.js';
import { checkSyntax, onlyReads } from './check-syntax.js';
import { exactTextWarning } from './exact-text-warning.js';
import { withoutSuffixes } from './permitted-functions.js';
import {
  defaultSqlBounds,
  requestForNothing,
  statementSettings,
  type StatementLimits,
} from './statement-settings.js';
import { readSqlError, ClickHouseHttpClient } from './clickhouse-http-client.js';
import { syntaxNodes } from './syntax-tree.js';
import { requireFormat } from './formats.js';
import { assertPlainNames } from './plain-names.js';
import { SqlViewPublisher } from './sql-view-publisher.js';
import { policyQueryId } from './policy-query-id.js';
import type { TableAndViewDatabases } from './row-filters.js';

/** ClickHouse user and limits for the SQL statements of analysts. */
interface AnalystSqlOptions {
  /** The ClickHouse user for statements of analysts, with the rights of `analyst-user.ts`. */
  user: { name: string; password: string };
  bounds?: Partial<StatementLimits>;
}

/** Headers that are passed to the client. `X-ClickHouse-Summary` is excluded: it counts rows the key may not see. */
const forwardedHeaders = [
  'content-type',
  'content-encoding',
  'x-clickhouse-format',
  'x-clickhouse-timezone',
  'x-clickhouse-exception-code',
  'x-clickhouse-exception-tag',
];

/** Seconds after a statement's time limit at which ClickHouse is treated as unreachable. */
const graceSeconds = 5;

/** Interval in milliseconds at which ClickHouse is asked whether a statement still runs. */
const pollMs = 1_000;

/** ClickHouse's READONLY and SETTING_CONSTRAINT_VIOLATION. */
const rejectedSettings = new Set([164, 452]);

/** Time limit in milliseconds for the check of the user for analysts. */
const probeMs = 10_000;

/** ClickHouse's AUTHENTICATION_FAILED, also for an unknown user. */
const authenticationFailed = 516;

const unauthenticated = (user: string) =>
  `SQL is switched off: ClickHouse does not accept SQL_CLICKHOUSE_PASSWORD for its user ${user}, or has no such user (docs/deployment.md)`;

const outdated = (user: string) =>
  `SQL is switched off: ClickHouse's user ${user} does not accept the settings of this version. Run its clickhouse-users.sql again (docs/deployment.md)`;

const unfiltered = (user: string) =>
  `SQL is switched off: ClickHouse's user ${user} reads rows that the gateway did not name. Give it the row policies of clickhouse-users.sql (docs/deployment.md)`;

/** The statement with which clickhouse-go, and so Grafana, connects. `displayName()` is by default the name of a host. */
const greeting = 'SELECT displayName(), version(), revision(), timezone()';

/** The formats with one JSON value on each line. ClickHouse calls those with an array on each line `text/plain`. */
const ndjson = /^(JSON\w*EachRow\w*|JSONLines|NDJSON)$/;
const ndjsonType = 'application/x-ndjson; charset=UTF-8';

/** Matches the names of the views of projections. */
const projectionView = /^(t_)?projection_/;

/** The FORMAT clause at the end of a formatted statement; no other clause can end like this. */
const formatClause = / FORMAT (?:(\w+)|`(\w+)`)$/;

/**
 * Checks and runs read-only SQL statements of analysts over published views, and publishes the views. A statement takes
 * three requests to ClickHouse. The first request formats the text, which must be a single statement; formatting removes
 * comments. The second request explains the syntax tree of the formatted text, which `checkSyntax` checks. The third one
 * runs the formatted text, with settings that the statement cannot change.
 */
export class AnalystSqlRunner {
  /** Name of the ClickHouse database that contains the SQL views: `<database>_sql`. */
  readonly database: string;
  /** Maximum duration of an analyst's SQL statement in seconds. */
  readonly mostSeconds: number;
  private readonly databases: TableAndViewDatabases;
  private readonly bounds: StatementLimits;
  private readonly user: string;
  private readonly http: ClickHouseHttpClient;
  /** Connections as the apps' user, which creates views and cancels queries. */
  private readonly servers: ClickHouseServers;
  private readonly connection: ClickHouseConnection;
  private readonly published: SqlViewPublisher;
  /** Why statements may not run as the user for analysts; empty if they may, undefined if it is not known yet. */
  private userFault: string | undefined;

  constructor(store: ClickHouseStoreOptions, { user, bounds }: AnalystSqlOptions) {
    this.database = `${store.database}_sql`;
    this.databases = { tables: store.database, views: this.database };
    this.bounds = { ...defaultSqlBounds, ...bounds };
    this.mostSeconds = this.bounds.seconds;
    this.user = user.name;
    this.http = new ClickHouseHttpClient({ url: store.url, user: user.name, password: user.password });
    this.servers = new ClickHouseServers(store);
    this.connection = this.servers.entry;
    this.published = new SqlViewPublisher(this.servers, this.databases);
  }

  /** Makes `events` and these views the only SQL views. @throws StoreUnavailableError */
  async publish(views: AnalystViews): Promise<void> {
    const fault = await this.inspectUser(AbortSignal.timeout(probeMs));
    if (fault !== '') throw new Error(fault);
    await this.published.publish(views);
  }

  /**
   * Lets ClickHouse parse a statement, and checks it.
   * @throws SqlRejectedError @throws SqlError @throws StoreUnavailableError
   */
  async check(question: SqlRequest, signal: AbortSignal): Promise<CheckedStatement> {
    const fault = this.userFault ?? (await this.inspectUser(signal));
    if (fault !== '') throw new SqlError(497, 501, `${fault}. (ACCESS_DENIED)`);
    const { text, format, outline } = await this.canonical(question, signal);
    try {
      assertPlainNames(text, question.params);
      // ClickHouse cannot explain an INSERT with values, and calls it a syntax error.
      if (text.startsWith('INSERT ')) throw onlyReads();
      const explained = await this.explain(question, text, signal);
      const nodes = syntaxNodes(explained);
      const unknown = checkSyntax(nodes, text, { database: this.database, views: question.views });
      if (unknown.length > 0) await this.requireNoFunctions(unknown, signal);
      const views = namedViews(explained, question.views);
      return { text, format, outline, views, warning: exactTextWarning(nodes) };
    } catch (error) {
      if (error instanceof SqlRejectedError) error.outline = outline;
      throw error;
    }
  }

  /**
   * Runs a statement that `check` returned. An abort of the signal also cancels it in ClickHouse.
   * @throws SqlError @throws StoreUnavailableError
   */
  async run(question: SqlRequest, statement: CheckedStatement, signal: AbortSignal): Promise<SqlResponse> {
    const { acceptEncoding, transport } = question;
    const generations = await this.shownGenerations(question, statement, signal);
    const narrowed = { ...question, generations };
    const queryId = policyQueryId(narrowed);
    const end = () => void this.connection.end(queryId);
    signal.addEventListener('abort', end, { once: true });
    const answer = await this.http.send({
      sql: statement.text,
      url: { ...this.urlOf(narrowed, statement.format), ...transport, query_id: queryId },
      headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
      signal,
      patienceMs: (this.mostSeconds + graceSeconds) * 1000,
    });
    answer.once('close', () => signal.removeEventListener('abort', end));
    if (answer.statusCode !== 200) {
      const error = await readSqlError(answer);
      // A client sees the warning of a failed statement only here.
      if (statement.warning) error.message += ` ${statement.warning}.`;
      throw error;
    }
    // ClickHouse resolved the views before it answered: a view that was replaced meanwhile has no rows for `narrowed`.
    await this.shownGenerations(narrowed, statement, signal).catch((error: unknown) => {
      answer.destroy();
      throw error;
    });
    const headers = forwardedHeaders.flatMap((name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    if (ndjson.test(statement.format)) headers.push(['content-type', ndjsonType]);
    return { headers: Object.fromEntries(headers), body: answer };
  }

  /**
   * Returns the generations that the statement's views show.
   * @throws SqlError if the key may not read one of them: the projection was just rebuilt, and would seem to be empty
   */
  private async shownGenerations(
    { generations }: SqlRequest,
    { views }: CheckedStatement,
    signal: AbortSignal,
  ): Promise<string[]> {
    const ofProjections = views.filter((view) => projectionView.test(view));
    if (ofProjections.length === 0) return [];
    const shown = await this.published.generationsOf(ofProjections, signal);
    for (const [view, generation] of shown) {
      if (generations.includes(generation)) continue;
      const message = `The view ${view} is being replaced, because its projection was rebuilt; send the statement again.`;
      throw new SqlError(218, 503, `${message} (TABLE_IS_DROPPED)`);
    }
    return [...new Set(shown.map(([, generation]) => generation))];
  }

  /**
   * Resolves when ClickHouse no longer runs the statement with this id. A cancelled statement may run on for minutes,
   * because ClickHouse checks for cancellations between blocks only. Also resolves when ClickHouse does not answer.
   */
  async ended(queryId: string): Promise<void> {
    const running = async () => {
      const [row] = await this.connection.select<[number]>(
        `SELECT count() FROM system.processes WHERE Settings['log_comment'] = {queryId:String}`,
        { params: { queryId }, purpose: 'lookup' },
      );
      return row?.[0] !== 0;
    };
    while (await running().catch(() => false)) await sleep(pollMs, undefined, { ref: false });
  }

  close(): Promise<void> {
    this.http.close();
    return this.servers.close();
  }

  /**
   * Returns what is wrong if the user for analysts reads rows that no query id names, or does not accept the settings of
   * statements; otherwise an empty text. Of the events, the probe reads the system's own streams, which no key can name.
   */
  private async inspectUser(signal: AbortSignal): Promise<string> {
    const { bounds, databases, user } = this;
    const tables = quoteIdentifier(databases.tables);
    const own = `SELECT 1 FROM ${tables}.events WHERE startsWith(stream, ${quoteText(reservedStreamPrefix)}) LIMIT 1`;
    const others = ['dropped_streams', 'projection_results'].map(
      (table) => `SELECT 1 FROM ${tables}.${table} LIMIT 1`,
    );
    const all = statementSettings(requestForNothing, databases, bounds);
    const { additional_table_filters: _, ...settings } = all;
    try {
      const sql = [own, ...others].join(' UNION ALL ');
      const rows = await this.http.text({ sql, url: { ...settings, default_format: 'TSV' }, signal });
      return (this.userFault = rows === '' ? '' : unfiltered(user));
    } catch (error) {
      this.userFault = undefined;
      if (!(error instanceof SqlError)) throw error;
      if (error.code === authenticationFailed) return unauthenticated(user);
      if (rejectedSettings.has(error.code)) return outdated(user);
      throw error;
    }
  }

  /**
   * Returns an SQL statement as ClickHouse formats it, without its FORMAT clause, and the name of its output format.
   * @throws SqlError when the text is not one valid statement, or the format is not permitted
   */
  private async canonical(
    question: SqlRequest,
    signal: AbortSignal,
  ): Promise<Pick<CheckedStatement, 'text' | 'format' | 'outline'>> {
    const statement = quoteText(question.text);
    const answer = await this.http.text({
      sql: `SELECT formatQuerySingleLine(${statement}), normalizeQuery(${statement})`,
      url: { default_format: 'JSONCompactEachRow', readonly: '1', max_execution_time: '5' },
      signal,
    });
    const [written, outline] = JSON.parse(answer) as [string, string];
    const clause = formatClause.exec(written);
    const format = requireFormat(clause?.[1] ?? clause?.[2] ?? question.format ?? 'TabSeparated');
    const text = clause ? written.slice(0, clause.index) : written;
    const answered = text === greeting ? text.replace('displayName()', "'ClickHouse'") : text;
    return { text: answered, format, outline };
  }

  /** @throws SqlRejectedError if ClickHouse has a function of one of these names, with or without an aggregate's suffix */
  private async requireNoFunctions(names: readonly string[], signal: AbortSignal): Promise<void> {
    const query = 'SELECT lower(name) FROM system.functions';
    const rows = await this.connection.select<[string]>(query, { purpose: 'lookup', signal });
    const functions = new Set(rows.map(([name]) => name));
    const rejected = names.find((name) => withoutSuffixes(name).some((base) => functions.has(base)));
    if (rejected !== undefined) throw new SqlRejectedError(`The function ${rejected} is not allowed`);
  }

  /** Returns the syntax tree. ClickHouse applies a SETTINGS clause before it explains the statement. */
  private async explain(question: SqlRequest, text: string, signal: AbortSignal): Promise<string> {
    const url = this.urlOf({ ...question, generations: [] }, 'TSVRaw');
    return this.http.text({ sql: `EXPLAIN AST ${text}`, url, signal }).catch((error: unknown) => {
      const isSetting =
        error instanceof SqlError && rejectedSettings.has(error.code) && / SETTINGS /i.test(text);
      throw isSetting ? new SqlRejectedError('A SETTINGS clause is not allowed') : error;
    });
  }

  private urlOf(question: SqlRequest, format: string): Record<string, string> {
    const settings = statementSettings(question, this.databases, this.bounds);
    const params = [...question.params].map(([name, value]) => [`param_${name}`, value] as const);
    return { database: this.database, default_format: format, ...settings, ...Object.fromEntries(params) };
  }
}

/**
 * Returns the views that a SELECT may read: all whose name is a word of its syntax tree. A text that contains the name of a
 * view counts, too. Other statements read no rows.
 */
function namedViews(explained: string, views: readonly string[]): string[] {
  if (!explained.startsWith('SelectWithUnionQuery')) return [];
  const words = new Set(explained.match(/\w+/g));
  return views.filter((view) => words.has(view));
}
