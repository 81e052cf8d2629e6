import type { Readable } from 'node:stream';
import type { Permitted } from './store.js';

/** A column of a typed view: a top-level member of `data`. */
export interface MemberColumn {
  member: string;
  type: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json';
}

/** The view of one event type with a schema. */
export interface EventTypeView {
  view: string;
  /** Its id. */
  stream: string;
  eventType: string;
  columns: readonly MemberColumn[];
}

/** The view of a projection's states. */
export interface ProjectionView {
  view: string;
  /** The generation that answers reads. */
  build: string;
}

/** All views that analysts query, besides `events`. */
export interface AnalystViews {
  eventTypes: readonly EventTypeView[];
  projections: readonly ProjectionView[];
}

/** One statement of an analyst, with what its key may see. */
export interface SqlQuestion {
  text: string;
  /** Values of `{name:Type}` in the text, in ClickHouse's escaped form. */
  params: ReadonlyMap<string, string>;
  /** The format of the answer where the text names none. */
  format: string | undefined;
  /** Unique among running queries. */
  queryId: string;
  /** Seconds that it may take; never more than the store's bound. */
  seconds: number | undefined;
  /** By ids of streams. */
  permitted: Permitted;
  /** The views that it may name. */
  views: readonly string[];
  /** Generations of projections whose rows it may see. */
  builds: readonly string[];
  /** `Accept-Encoding` for the answer. */
  acceptEncoding: string | undefined;
  /** Parameters of ClickHouse's interface about how the answer is sent: `compress`, `client_protocol_version` … */
  transport: Readonly<Record<string, string>>;
}

/** ClickHouse's answer as it arrives. */
export interface SqlAnswer {
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

/** A statement whose syntax ClickHouse has read, and which only reads published views. */
export interface CheckedStatement {
  /** As ClickHouse writes it, without its FORMAT clause. */
  text: string;
  format: string;
  /** The text without its literals, for the log. */
  outline: string;
}

/** ClickHouse refuses a statement: a syntax error, an unknown column. The message is ClickHouse's. */
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

/** A statement asks for what analysts may not use. */
export class SqlRefusedError extends SqlError {
  override readonly name = 'SqlRefusedError';
  /** The statement without its literals, where ClickHouse could read it. */
  outline = '';
  constructor(readonly reason: string) {
    super(497, 403, `${reason}. (ACCESS_DENIED)`);
  }
}

/** Read-only SQL over views, for analysts. */
export interface SqlQueries {
  /** The database of the views. */
  readonly database: string;
  /** Whether ClickHouse itself limits the user of these queries to the views. */
  readonly ownUser: boolean;
  /** Seconds that a statement may take at most. */
  readonly mostSeconds: number;
  /** Creates, replaces and drops views until they are these. @throws StoreUnavailableError */
  publish(views: AnalystViews): Promise<void>;
  /** @throws SqlRefusedError @throws SqlError @throws StoreUnavailableError */
  check(question: SqlQuestion, signal: AbortSignal): Promise<CheckedStatement>;
  /** Runs what `check` returned. An abort ends it in ClickHouse, too. @throws SqlError @throws StoreUnavailableError */
  run(question: SqlQuestion, statement: CheckedStatement, signal: AbortSignal): Promise<SqlAnswer>;
  close(): Promise<void>;
}
