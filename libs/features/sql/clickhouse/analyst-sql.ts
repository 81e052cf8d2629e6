import type { Readable } from 'node:stream';
import type { FoldResultType } from '#dataflow';
import type { DataMemberColumn, AuthorizationScope } from '#store';

/** An SQL view with the events of one type. The schema of the type determines the columns for the members of `data`. */
export interface EventTypeView {
  view: string;
  /** The id (not the name) of the stream whose events the view shows. */
  stream: string;
  eventType: string;
  columns: readonly DataMemberColumn[];
}

/** An SQL view with one row for each key of a projection. */
export interface ProjectionView {
  view: string;
  /** Id of the projection's generation that serves reads. */
  generation: string;
  /** The fields of the generation, in the order of its results. */
  fields: readonly { name: string; type: FoldResultType }[];
}

/** The SQL views that exist in addition to the view `events`; an API key may be allowed to read only some of them. */
export interface AnalystViews {
  eventTypes: readonly EventTypeView[];
  projections: readonly ProjectionView[];
}

/** One SQL statement of an analyst, with its parameters, its limits, and the data that its API key may read. */
export interface SqlRequest {
  text: string;
  /** Values of the query parameters `{name:Type}` in the SQL text, in ClickHouse's escaped form. */
  params: ReadonlyMap<string, string>;
  /** ClickHouse's output format of the answer if the SQL text has no FORMAT clause. */
  format: string | undefined;
  /** ClickHouse's query id for the statement; unique among running queries. */
  queryId: string;
  /** Time limit of the statement in seconds; the configured limit for analysts still applies. */
  seconds: number | undefined;
  /** The streams that the API key may read, as stream ids. */
  permitted: AuthorizationScope;
  /** Names of the SQL views that the API key may read. */
  views: readonly string[];
  /** Ids of the generations of projections whose states the API key may read. */
  generations: readonly string[];
  /** The `Accept-Encoding` header of the request, which is passed on to ClickHouse. */
  acceptEncoding: string | undefined;
  /** Parameters of ClickHouse's HTTP interface for the transport of the answer, such as `compress`. */
  transport: Readonly<Record<string, string>>;
}

/** ClickHouse's HTTP answer to an SQL statement of an analyst: its headers, and its body as a stream. */
export interface SqlResponse {
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

/** An analyst's SQL statement that passed the check: it only reads or lists views and columns. */
export interface CheckedStatement {
  /** The SQL text as ClickHouse formats it, without its FORMAT clause. */
  text: string;
  format: string;
  /** The SQL text without its literals, for the log. */
  outline: string;
  /** Names of the permitted views that the statement may read, at least all that it reads. */
  views: readonly string[];
  /** Says in ASCII why the answer may lack rows or values that the statement means. */
  warning: string | undefined;
}

/** Error: ClickHouse rejects an analyst's SQL statement, with this message. */
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

/** Error: a statement uses a table, function or clause that analysts may not use. ClickHouse has not run it. */
export class SqlRejectedError extends SqlError {
  override readonly name = 'SqlRejectedError';
  /** The rejected SQL text without its literals, for the log; empty if the check did not set it. */
  outline = '';
  constructor(readonly reason: string) {
    super(497, 403, `${reason}. (ACCESS_DENIED)`);
  }
}
