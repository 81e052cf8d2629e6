import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouseResponseWriter } from './response.js';
import { assertContained } from './containment.js';
import { readBody, spoolBody } from './body.js';
import type { EmbeddedClickHouse } from './engine.js';
import { LocalClickHouseRequestError, code } from './errors.js';
import { isBlockwise } from './formats.js';
import type { EngineConnection, StatementResult, StatementContext } from './engine-connection.js';
import { readMultipart } from './multipart.js';
import { nativeBlocks } from './native-blocks.js';
import { addField, assertAllowedByMethod, isReading, isSelecting, type QueryRequest } from './request.js';
import { settingsClause } from './settings-clause.js';
import {
  changesSession,
  formatClause,
  hasSeveralStatements,
  insertHead,
  parameterNames,
  quote,
  statementKind,
  type InsertHead,
} from './sql.js';

/** The maximum size in bytes of a statement, without the rows of an INSERT. */
export const maxQueryBytes = 64 << 20;
/** The maximum size in bytes of the body of an INSERT, decompressed. */
export const maxInsertBytes = 2 ** 31;
/** The maximum position in a body, in bytes, at which the rows of an INSERT may begin. */
const maxHeadBytes = 256 << 10;

/** One HTTP request with a query, and the response to it. */
interface QueryExchange {
  http: IncomingMessage;
  query: QueryRequest;
  answer: ClickHouseResponseWriter;
  /** Aborted when the client disconnects before its answer is complete. */
  gone: AbortSignal;
}

/**
 * Executes the query of one HTTP request and sends its result. @throws LocalClickHouseRequestError or the engine's own error,
 * which the caller sends.
 */
export async function handleQuery(engine: EmbeddedClickHouse, exchange: QueryExchange): Promise<void> {
  const { http, query } = exchange;
  const inUrl = insertHead(query.sql);
  if (inUrl && http.method === 'POST') return insertFromBody(engine, exchange, inUrl);
  const body = http.method === 'POST' ? await readBody(http, maxQueryBytes) : Buffer.alloc(0);
  const type = http.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) takeParts(query, readMultipart(body, type));
  else if (query.sql === '' && (await insertWithin(engine, exchange, body))) return;
  else query.sql = [query.sql, body.toString('utf8')].filter(Boolean).join('\n');
  await runStatement(engine, exchange);
}

function takeParts(query: QueryRequest, parts: Map<string, string>): void {
  for (const [name, value] of parts) {
    if (name === 'query') query.sql += value;
    else addField(query, name, value);
  }
}

async function runStatement(engine: EmbeddedClickHouse, exchange: QueryExchange): Promise<void> {
  const { http, query, answer, gone } = exchange;
  if (query.sql.trim() === '') throw new LocalClickHouseRequestError(62, 'SYNTAX_ERROR', 'Empty query');
  if (hasSeveralStatements(query.sql)) {
    throw new LocalClickHouseRequestError(
      62,
      'SYNTAX_ERROR',
      'Syntax error (Multi-statements are not allowed)',
    );
  }
  assertAllowedByMethod(http.method ?? '', query.sql);
  const state = laneState(query);
  const format = formatClause(query.sql) ?? query.format;
  const pool = isOfAnalyst(query) ? engine.analysts : engine.reads;
  await engine.onLane(pool, state, (lane) =>
    cancellable({ engine, lane, query, gone }, async (watched) => {
      await assertContained(lane, query);
      const blockwise = isBlockwise(format) && isSelecting(query.sql);
      if (blockwise && (await watched(() => isAnalysedQuickly(lane, query))))
        return streamAnswer({ lane, watched }, exchange, format);
      const result = await watched(() => runAlone(lane, query.sql, format));
      if (statementKind(query.sql) === 'DROP') engine.forgetDatabases();
      await answer.send(format, forClient(query, format, result.bytes), { result_rows: result.rows });
    }),
  );
}

/**
 * Runs a statement and resets the settings that it made: they end with the request, as on ClickHouse's server without
 * a session.
 */
async function runAlone(lane: EngineConnection, sql: string, format: string): Promise<StatementResult> {
  try {
    return await lane.run(sql, format);
  } finally {
    if (changesSession(sql)) lane.reopen();
  }
}

/** Whether an unknown user may have written a statement: the gateway sends the statements of analysts with `readonly = 1`. */
function isOfAnalyst({ settings }: QueryRequest): boolean {
  return settings.get('readonly') === '1';
}

/** Longest time in milliseconds for which the analysis of a statement may hold up the other statements. */
const longestAnalysisMs = 250;

/**
 * Whether a statement can be streamed. chdb analyses a streamed statement on the thread that serves all clients, and the
 * analysis computes constants and scalar subqueries. So the analysis of an analyst's statement is tried on another thread
 * first, up to the pipeline: `EXPLAIN QUERY TREE` leaves large constants to the later steps.
 * @throws the engine's error for an invalid statement
 */
async function isAnalysedQuickly(lane: EngineConnection, query: QueryRequest): Promise<boolean> {
  if (!isOfAnalyst(query)) return true;
  const began = performance.now();
  await lane.run(`EXPLAIN PIPELINE ${query.sql}`, 'Null');
  return performance.now() - began < longestAnalysisMs;
}

/**
 * Streams an answer. The first block of an answer is computed before the headers are sent, so most errors still get an
 * HTTP status of their own.
 */
async function streamAnswer(
  { lane, watched }: { lane: EngineConnection; watched: CallWatch },
  exchange: QueryExchange,
  format: string,
): Promise<void> {
  const { query, answer } = exchange;
  const blocks = lane.stream(query.sql, format);
  try {
    let block = await watched(() => blocks.next());
    answer.begin(format, {});
    while (!block.done) {
      await answer.write(forClient(query, format, block.value));
      if (answer.abandoned) return;
      block = await watched(() => blocks.next());
    }
  } finally {
    // A stream that stays open would make the next statement of the connection fail.
    await blocks.return(undefined);
  }
  answer.end();
}

/** Returns a part of an answer in the form that the client's version of ClickHouse's protocol has. */
function forClient(query: QueryRequest, format: string, bytes: Uint8Array): Uint8Array {
  return format === 'Native' ? nativeBlocks(bytes, query.protocolVersion) : bytes;
}

/** Runs an INSERT whose query and rows are both in the body. Resolves false if the body is not such an INSERT. */
async function insertWithin(
  engine: EmbeddedClickHouse,
  exchange: QueryExchange,
  body: Buffer,
): Promise<boolean> {
  // latin1 has one character for each byte, so positions in the text are positions in the body.
  const text = body.subarray(0, maxHeadBytes).toString('latin1');
  if (statementKind(text) !== 'INSERT') return false;
  const head = insertHead(text);
  if (!head) return false;
  const utf8 = (part: string): string => Buffer.from(part, 'latin1').toString('utf8');
  const rows = body.subarray(head.dataStart);
  exchange.query.sql = utf8(text.slice(0, head.dataStart));
  const decodedHead = { ...head, target: utf8(head.target), settings: utf8(head.settings) };
  await insert(engine, exchange, { head: decodedHead, first: rows, rest: undefined });
  return true;
}

function insertFromBody(
  engine: EmbeddedClickHouse,
  exchange: QueryExchange,
  head: InsertHead,
): Promise<void> {
  const first = Buffer.from(exchange.query.sql.slice(head.dataStart));
  return insert(engine, exchange, { head, first, rest: exchange.http });
}

interface IncomingRows {
  head: InsertHead;
  /** Rows that were sent with the statement. */
  first: Buffer;
  /** The request whose body contains the remaining rows. */
  rest: IncomingMessage | undefined;
}

/**
 * Inserts rows through a file with `FROM INFILE`: the engine reads any format from a file, in parallel. Rows after
 * the statement would end at the first empty line, and the rest would be parsed as another statement.
 */
async function insert(
  engine: EmbeddedClickHouse,
  exchange: QueryExchange,
  rows: IncomingRows,
): Promise<void> {
  const { query, answer } = exchange;
  const { head, first, rest } = rows;
  const file = join(engine.intakeDir, randomUUID());
  try {
    const size = await spoolBody(rest, { file, first, maxBytes: maxInsertBytes });
    if (size === 0) return await answer.send(query.format, Buffer.alloc(0), { written_rows: 0 });
    const settings = settingsClause(query.settings, head.settings);
    const sql = `${head.target} FROM INFILE ${quote(file)} COMPRESSION 'none' ${settings} FORMAT ${head.format}`;
    const result = await engine.onLane(engine.inserts, insertState(query), async (lane) => {
      const given = `${head.target} ${head.settings} FORMAT ${head.format}`;
      await assertContained(lane, { ...query, sql: given });
      return lane.run(sql, 'Null');
    });
    await answer.send(query.format, Buffer.alloc(0), { written_rows: result.rows, written_bytes: size });
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Returns the connection state that an INSERT needs. Its settings are part of the statement: each insert has another
 * `insert_deduplication_token`, and other settings of a connection cost as much as a small insert.
 */
function insertState(query: QueryRequest): StatementContext {
  const { settings } = laneState(query);
  // A statement can change settings of its own clause, but not those of the connection.
  return { ...laneState(query), settings: new Map([...settings].filter(([name]) => name === 'readonly')) };
}

/**
 * Returns the connection state that a query needs. @throws LocalClickHouseRequestError for a parameter of the statement that
 * the request does not set.
 */
function laneState(query: QueryRequest): StatementContext {
  const names = parameterNames(query.sql);
  const kind = statementKind(query.sql);
  const params = new Map<string, string>();
  for (const name of names) {
    const value = query.params.get(name);
    if (value !== undefined) params.set(name, value);
    // A parameterized view keeps the parameters in its text.
    else if (kind !== 'CREATE') {
      throw new LocalClickHouseRequestError(
        code.unknownQueryParameter,
        'UNKNOWN_QUERY_PARAMETER',
        `Substitution \`${name}\` is not set`,
      );
    }
  }
  return { database: query.database ?? 'default', settings: query.settings, params };
}

let markers = 0;

/** Runs one call of the engine. Not used for sending an answer, which waits for the client. */
type CallWatch = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** Returns a function that watches the engine's calls for the statement of an analyst, and runs other calls as they are. */
function callWatch(engine: EmbeddedClickHouse, query: QueryRequest): CallWatch {
  const limit = isOfAnalyst(query) ? Number(query.settings.get('max_execution_time')) : 0;
  return async (call) => {
    const unwatch = limit > 0 ? engine.watchOverrun(limit) : undefined;
    try {
      return await call();
    } finally {
      unwatch?.();
    }
  };
}

/** Runs `work`, and cancels its statement when the client disconnects. */
async function cancellable(
  run: { engine: EmbeddedClickHouse; lane: EngineConnection; query: QueryRequest; gone: AbortSignal },
  work: (watched: CallWatch) => Promise<void>,
): Promise<void> {
  const { engine, lane, query, gone } = run;
  if (gone.aborted) return;
  const marker = `request ${(markers += 1)}`;
  lane.marker = marker;
  const cancel = (): void => void engine.cancel(marker);
  if (isReading(query.sql)) gone.addEventListener('abort', cancel, { once: true });
  try {
    await work(callWatch(engine, query));
  } finally {
    gone.removeEventListener('abort', cancel);
  }
}
