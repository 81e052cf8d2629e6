import { randomUUID } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
  type ResultSet,
} from '@clickhouse/client';
import { withAnySignal } from '#async';
import { QueryTooSlowError, AnswerMemoryExhaustedError, StoreUnavailableError } from '../../errors.js';
import { withShortFields } from './short-fields.js';
import type { AnswerMemoryBudget, AnswerMemoryShare } from '../../answer-memory-budget.js';
import { storeErrorOfCode, invalidPatternCode, type RequestPurpose } from './error-codes.js';

/** Least size in bytes of a chunk of an insert's body, except the last one. */
const chunkBytes = 64 * 1024;

/** Address, credentials and limits of the connection to ClickHouse. */
interface ClickHouseConnectionOptions {
  url: string;
  user: string;
  password: string;
  database: string;
  /** Maximum number of open sockets to the server. */
  maxConnections: number;
  /** Time limit in milliseconds for a write, and for a lookup that a write depends on. */
  insertTimeoutMs: number;
  /** Time limit in milliseconds for a read that answers a caller's query. */
  queryTimeoutMs: number;
  /** Bounds the total bytes of answers that are being read; without it, there is no bound. */
  readBudget?: AnswerMemoryBudget | undefined;
  /** Settings of all statements. */
  settings?: ClickHouseSettings | undefined;
}

/** Error: a query contains a regular expression that ClickHouse's engine (RE2) does not accept. */
export class InvalidRegularExpressionError extends Error {
  override readonly name = 'InvalidRegularExpressionError';
}

/** Bound parameters, ClickHouse settings, abort signal and purpose of one SELECT. */
interface SelectOptions {
  params?: Record<string, unknown>;
  settings?: ClickHouseSettings;
  signal?: AbortSignal;
  /** Purpose of the SELECT, which determines its time limit and its error classes; default: `read`. */
  purpose?: 'read' | 'lookup';
}

/** A connection to a ClickHouse server, or to one of those that have the same rows. */
export type ClickHouseConnection = Pick<StoreClickHouseClient, keyof StoreClickHouseClient>;

/**
 * The official ClickHouse client, with the store's error classes and time limits. Values reach ClickHouse
 * only as bound parameters or as the body of an insert.
 */
export class StoreClickHouseClient {
  private readonly client: ClickHouseClient;

  constructor(private readonly options: ClickHouseConnectionOptions) {
    this.client = createClient({
      url: options.url,
      username: options.user,
      password: options.password,
      database: options.database,
      application: 'tributary',
      ...(options.settings && { clickhouse_settings: options.settings }),
      request_timeout: Math.max(options.insertTimeoutMs, options.queryTimeoutMs) + 5_000,
      max_open_connections: options.maxConnections,
      // Below the server's own idle time-out (3 s in old versions, 10 s or more in current ones).
      keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
      compression: { request: false, response: false },
      // A list of ids can exceed the maximum length of a URL.
      use_multipart_params_auto: true,
      // Failures are returned as errors; the code that handles an error also logs it.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /**
   * Runs a SELECT and returns its rows, each as an array of column values. 64-bit integers are returned as numbers.
   */
  async select<Row extends readonly unknown[]>(query: string, options: SelectOptions = {}): Promise<Row[]> {
    const share = this.options.readBudget?.share();
    try {
      return await this.read<Row>(query, options, share);
    } finally {
      share?.end();
    }
  }

  private read<Row extends readonly unknown[]>(
    query: string,
    options: SelectOptions,
    share: AnswerMemoryShare | undefined,
  ): Promise<Row[]> {
    const queryId = randomUUID();
    const purpose = options.purpose ?? 'read';
    return this.guarded({ purpose, signal: options.signal, queryId }, async (signal) => {
      const { params, ...statement } = withShortFields({ query, params: options.params ?? {} });
      const result = await this.client.query({
        ...statement,
        query_id: queryId,
        format: 'JSONCompactEachRow',
        query_params: params,
        abort_signal: signal,
        clickhouse_settings: {
          output_format_json_quote_64bit_integers: 0,
          // Parses a decimal text to the nearest double; ClickHouse's default parser can be off in the last
          // digit.
          precise_float_parsing: 1,
          // Prevents a read from writing. ClickHouse also cancels only read-only queries when their
          // connection closes.
          readonly: '2',
          cancel_http_readonly_queries_on_client_close: 1,
          ...options.settings,
        },
      });
      return share ? readRowsWithinBudget(result, share) : result.json<Row>();
    });
  }

  /**
   * Runs a SELECT that has a FORMAT clause and returns the answer as a stream. An abort cancels the query,
   * even while the answer is being read.
   */
  async open(
    query: string,
    { params, settings, signal }: Required<Pick<SelectOptions, 'params' | 'settings' | 'signal'>>,
  ): Promise<Readable> {
    const queryId = randomUUID();
    const short = withShortFields({ query, params });
    const { stream } = await this.guarded({ purpose: 'read', signal, queryId }, (either) =>
      this.client.exec({
        query: short.query,
        query_id: queryId,
        query_params: short.params,
        abort_signal: either,
        clickhouse_settings: { readonly: '2', cancel_http_readonly_queries_on_client_close: 1, ...settings },
      }),
    );
    const end = () => void this.end(queryId);
    signal.addEventListener('abort', end, { once: true });
    stream.once('close', () => signal.removeEventListener('abort', end));
    return addAbortSignal(signal, stream);
  }

  /** Runs a statement that returns no rows, such as a DELETE or a CREATE TABLE. */
  async command(
    query: string,
    params: Record<string, unknown> = {},
    settings: ClickHouseSettings = {},
  ): Promise<void> {
    const short = withShortFields({ query, params });
    await this.guarded({ purpose: 'write' }, (signal) =>
      this.client.command({
        query: short.query,
        query_params: short.params,
        abort_signal: signal,
        clickhouse_settings: settings,
      }),
    );
  }

  /** Inserts a RowBinary body, given in parts, as one ClickHouse block. */
  async insert(query: string, body: readonly Buffer[], settings: ClickHouseSettings): Promise<void> {
    await this.guarded({ purpose: 'write' }, async (signal) => {
      const answer = await this.client.exec({
        query,
        values: Readable.from(joined(body), { objectMode: false }),
        abort_signal: signal,
        clickhouse_settings: settings,
      });
      // The answer is empty. The end of the empty answer signals that the insert is complete, and frees the socket.
      answer.stream.resume();
      await finished(answer.stream);
    });
  }

  /** Resolves when what others have written can be read here: at once, without replicas. @throws StoreUnavailableError */
  async caughtUp(): Promise<void> {}

  close(): Promise<void> {
    return this.client.close();
  }

  private async guarded<T>(
    { purpose, signal, queryId }: { purpose: RequestPurpose; signal?: AbortSignal; queryId?: string },
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(
      purpose === 'read' ? this.options.queryTimeoutMs : this.options.insertTimeoutMs,
    );
    try {
      return await (signal ? withAnySignal([signal, timeout], run) : run(timeout));
    } catch (error) {
      const isGivenUp = signal?.aborted || timeout.aborted;
      const ended = isGivenUp && queryId !== undefined ? this.end(queryId) : undefined;
      signal?.throwIfAborted();
      if (purpose === 'read' && (await ended)) {
        const message = `The query took longer than ${this.options.queryTimeoutMs / 1000} s and was cancelled.`;
        throw new QueryTooSlowError(message, { cause: error });
      }
      throw storeErrorOf(error as Error, purpose, timeout);
    }
  }

  /**
   * Cancels a query whose result nobody needs. ClickHouse detects a closed connection only when it next
   * writes to it. Resolves with true if ClickHouse answered the cancellation.
   */
  async end(queryId: string): Promise<boolean> {
    try {
      await this.client.command({
        query: 'KILL QUERY WHERE query_id = {queryId:String} ASYNC',
        query_params: { queryId },
        abort_signal: AbortSignal.timeout(killTimeoutMs),
      });
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Reads all rows of an answer and counts their bytes. @throws AnswerMemoryExhaustedError when they do not fit into the memory
 * budget, which also cancels the query
 */
async function readRowsWithinBudget<Row>(
  result: ResultSet<'JSONCompactEachRow'>,
  share: AnswerMemoryShare,
): Promise<Row[]> {
  const read: Row[] = [];
  for await (const rows of result.stream<Row>()) {
    if (!share.take(rows.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0)))
      throw new AnswerMemoryExhaustedError('The answers being read exceed the memory budget');
    for (const row of rows) read.push(row.json<Row>());
  }
  return read;
}

/**
 * Time limit in milliseconds for a cancellation. After it, ClickHouse is treated as unreachable; the query
 * still ends at its own limits.
 */
const killTimeoutMs = 5_000;

/** Matches the answer of ClickHouse to an exception that is not its own, which its client does not understand. */
const standardException = /^std::exception\. Code: (\d+)/;

function storeErrorOf(error: Error, purpose: RequestPurpose, timeout: AbortSignal): Error {
  // A TypeError is a bug in the calling code: a retry cannot succeed.
  if (error instanceof AnswerMemoryExhaustedError || error instanceof TypeError) return error;
  if (timeout.aborted)
    return new StoreUnavailableError('ClickHouse did not answer in time', { cause: error });
  if (!(error instanceof ClickHouseError)) {
    const code = standardException.exec(error.message)?.[1];
    if (code) return storeErrorOfCode(Number(code), purpose, error);
    return new StoreUnavailableError(`ClickHouse cannot be reached: ${error.message}`, { cause: error });
  }
  if (Number(error.code) === invalidPatternCode)
    return new InvalidRegularExpressionError(error.message, { cause: error });
  return storeErrorOfCode(Number(error.code), purpose, error);
}

/** Joins the buffers of a body to chunks of at least `chunkBytes`, because each chunk of a request costs processor time. */
function* joined(buffers: readonly Buffer[]): Generator<Buffer> {
  let chunk: Buffer[] = [];
  let bytes = 0;
  for (const buffer of buffers) {
    chunk.push(buffer);
    bytes += buffer.length;
    if (bytes < chunkBytes) continue;
    yield chunk.length === 1 ? buffer : Buffer.concat(chunk, bytes);
    [chunk, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(chunk, bytes);
}
