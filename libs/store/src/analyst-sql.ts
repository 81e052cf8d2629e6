import type { Readable } from 'node:stream';
import type { AuthorizationScope } from './store.js';

/** A column of a view: a top-level member of `data` with its type. */
export interface MemberColumn {
  member: string;
  type: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json';
}

/** The view of one event type that has a schema. */
export interface EventTypeView {
  view: string;
  /** The id of the stream. */
  stream: string;
  eventType: string;
  columns: readonly MemberColumn[];
}

/** The view of a projection's states. */
export interface ProjectionView {
  view: string;
  /** Id of the generation that serves reads. */
  generation: string;
}

/** All views that analysts can query, in addition to `events`. */
export interface AnalystViews {
  eventTypes: readonly EventTypeView[];
  projections: readonly ProjectionView[];
}

/** One SQL statement of an analyst, with the authorization scope of its API key. */
export interface SqlRequest {
  text: string;
  /** Values of the parameters `{name:Type}` in the text, in ClickHouse's escaped form. */
  params: ReadonlyMap<string, string>;
  /** The answer's format if the text has no FORMAT clause. */
  format: string | undefined;
  /** ClickHouse's query id for the statement; unique among running queries. */
  queryId: string;
  /** Time limit in seconds; the store's own limit still applies. */
  seconds: number | undefined;
  /** The authorization scope of the API key, in stream ids. */
  permitted: AuthorizationScope;
  /** The views that the statement may use. */
  views: readonly string[];
  /** Generations of projections whose rows the statement may read. */
  builds: readonly string[];
  /** The `Accept-Encoding` header for the answer. */
  acceptEncoding: string | undefined;
  /**
   * Parameters of ClickHouse's HTTP interface that control the transport of the answer: `compress`,
   * `client_protocol_version` and so on.
   */
  transport: Readonly<Record<string, string>>;
}

/** ClickHouse's HTTP answer: its headers, and its body as a stream. */
export interface SqlResponse {
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

/** A statement that ClickHouse has parsed and that only reads published views. */
export interface CheckedStatement {
  /** The statement as ClickHouse formats it, without its FORMAT clause. */
  text: string;
  format: string;
  /** The statement without its literals, for the log. */
  outline: string;
}

/**
 * ClickHouse rejects a statement, for example because of a syntax error or an unknown column. The message is
 * ClickHouse's.
 */
export class SqlError extends Error {
  override readonly name: string = 'SqlError';
  constructor(
    readonly code: number,
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A statement uses a table, function or clause that analysts may not use. */
export class SqlRejectedError extends SqlError {
  override readonly name = 'SqlRejectedError';
  /** The statement without its literals; empty if ClickHouse could not parse it. */
  outline = '';
  constructor(readonly reason: string) {
    super(497, 403, `${reason}. (ACCESS_DENIED)`);
  }
}

/** Read-only SQL over published views, for analysts. */
export interface AnalystSql {
  /** The database that contains the views. */
  readonly database: string;
  /** True if these statements run as a ClickHouse user of their own, which ClickHouse limits to the views. */
  readonly ownUser: boolean;
  /** Maximum duration of a statement in seconds. */
  readonly mostSeconds: number;
  /** Creates, replaces and drops views until exactly these exist. @throws StoreUnavailableError */
  publish(views: AnalystViews): Promise<void>;
  /** Parses and checks a statement. @throws SqlRejectedError @throws SqlError @throws StoreUnavailableError */
  check(question: SqlRequest, signal: AbortSignal): Promise<CheckedStatement>;
  /**
   * Runs a statement that `check` returned. An abort of the signal also cancels it in ClickHouse. @throws
   * SqlError @throws StoreUnavailableError
   */
  run(question: SqlRequest, statement: CheckedStatement, signal: AbortSignal): Promise<SqlResponse>;
  close(): Promise<void>;
}
