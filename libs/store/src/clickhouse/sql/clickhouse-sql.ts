import type {
  AnalystViews,
  CheckedStatement,
  SqlAnswer,
  SqlQueries,
  SqlQuestion,
} from '../../sql-queries.js';
import { SqlRefusedError } from '../../sql-queries.js';
import type { Connection } from '../connection.js';
import { checkSyntax } from './check-syntax.js';
import { fixedSettings, type SqlBounds } from './fixed-settings.js';
import { errorOf, HttpConnection } from './http-query.js';
import { quoted } from './literals.js';
import { formatNamed } from './formats.js';
import { requirePlainNames } from './plain-names.js';
import { PublishedViews } from './published-views.js';
import type { SqlDatabases } from './row-filters.js';

export interface ClickHouseSqlOptions {
  url: string;
  user: string;
  password: string;
  databases: SqlDatabases;
  bounds: SqlBounds;
  ownUser: boolean;
  /** The user of the apps, who makes views and ends queries. */
  connection: Connection;
}

/** Headers of ClickHouse's answer that go to the client. Not the summary: it counts rows that the key does not see. */
const passedHeaders = [
  'content-type',
  'content-encoding',
  'x-clickhouse-format',
  'x-clickhouse-timezone',
  'x-clickhouse-exception-code',
  'x-clickhouse-exception-tag',
];

/** Seconds beyond those of a statement until ClickHouse counts as away. */
const patienceSeconds = 5;

/** ClickHouse writes `FORMAT x` at the end of the text, and nothing else ends like that. */
const formatClause = / FORMAT (?:(\w+)|`(\w+)`)$/;

/**
 * ClickHouse reads every statement three times. It formats the text (one statement, without comments), explains the syntax
 * tree, which is checked, and runs the formatted text with settings that the statement cannot change.
 */
export class ClickHouseSql implements SqlQueries {
  readonly database: string;
  readonly ownUser: boolean;
  readonly mostSeconds: number;
  private readonly http: HttpConnection;
  private readonly published: PublishedViews;

  constructor(private readonly options: ClickHouseSqlOptions) {
    this.database = options.databases.views;
    this.ownUser = options.ownUser;
    this.mostSeconds = options.bounds.seconds;
    this.http = new HttpConnection(options);
    this.published = new PublishedViews(options.connection, options.databases);
  }

  publish(views: AnalystViews): Promise<void> {
    return this.published.publish(views);
  }

  async check(question: SqlQuestion, signal: AbortSignal): Promise<CheckedStatement> {
    const { text, format, outline } = await this.canonical(question, signal);
    try {
      requirePlainNames(text, question.params);
      const explained = await this.ask(question, { sql: `EXPLAIN AST ${text}`, format: 'TSVRaw', signal });
      checkSyntax(explained, text, {
        database: this.database,
        views: question.views,
        allViews: this.published.names,
      });
    } catch (error) {
      if (error instanceof SqlRefusedError) error.outline = outline;
      throw error;
    }
    return { text, format, outline };
  }

  async run(question: SqlQuestion, statement: CheckedStatement, signal: AbortSignal): Promise<SqlAnswer> {
    const { queryId, acceptEncoding, transport } = question;
    const end = () => void this.options.connection.end(queryId);
    signal.addEventListener('abort', end, { once: true });
    const answer = await this.http.send({
      sql: statement.text,
      url: {
        ...this.urlOf(question, statement.format),
        ...transport,
        query_id: queryId,
      },
      headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
      signal,
      patienceMs: (this.mostSeconds + patienceSeconds) * 1000,
    });
    answer.once('close', () => signal.removeEventListener('abort', end));
    if (answer.statusCode !== 200) throw await errorOf(answer);
    const headers = passedHeaders.flatMap((name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    return { headers: Object.fromEntries(headers), body: answer };
  }

  close(): Promise<void> {
    this.http.close();
    return this.options.connection.close();
  }

  /** The statement as ClickHouse writes it. @throws SqlError where it is none */
  private async canonical(question: SqlQuestion, signal: AbortSignal): Promise<CheckedStatement> {
    const statement = quoted(question.text);
    const answer = await this.http.text({
      sql: `SELECT formatQuerySingleLine(${statement}), normalizeQuery(${statement})`,
      url: { default_format: 'JSONCompactEachRow', readonly: '1', max_execution_time: '5' },
      signal,
    });
    const [written, outline] = JSON.parse(answer) as [string, string];
    const clause = formatClause.exec(written);
    const format = formatNamed(clause?.[1] ?? clause?.[2] ?? question.format ?? 'TabSeparated');
    return { text: clause ? written.slice(0, clause.index) : written, format, outline };
  }

  private ask(
    question: SqlQuestion,
    { sql, format, signal }: { sql: string; format: string; signal: AbortSignal },
  ): Promise<string> {
    return this.http.text({ sql, url: this.urlOf(question, format), signal });
  }

  private urlOf(question: SqlQuestion, format: string): Record<string, string> {
    const params = [...question.params].map(([name, value]) => [`param_${name}`, value] as const);
    const { databases, bounds } = this.options;
    return {
      database: this.database,
      default_format: format,
      ...fixedSettings(question, databases, bounds),
      ...Object.fromEntries(params),
    };
  }
}
