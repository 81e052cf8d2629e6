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
import { QueryTooExpensiveError, StoreOverloadedError, StoreUnavailableError } from '../errors.js';
import type { ReadBudget, ReadShare } from '../read-budget.js';
import { errorOfCode, invalidPatternCode, type Purpose } from './error-codes.js';

export interface ConnectionOptions {
  url: string;
  user: string;
  password: string;
  database: string;
  /** Sockets to the server at once. */
  maxConnections: number;
  /** Milliseconds after which an unanswered write, or a lookup for one, is given up. */
  insertTimeoutMs: number;
  /** Milliseconds after which an unanswered read is given up. */
  queryTimeoutMs: number;
  /** Bounds the bytes of answers that are read at the same time; without it, nothing does. */
  readBudget?: ReadBudget | undefined;
}

/** The pattern of a `matches` is not one that the engine's regular expressions (RE2) know. */
export class InvalidPatternError extends Error {
  override readonly name = 'InvalidPatternError';
}

export interface SelectOptions {
  params?: Record<string, unknown>;
  settings?: ClickHouseSettings;
  signal?: AbortSignal;
  /** `read` when nothing is said. */
  purpose?: 'read' | 'lookup';
}

/**
 * The official client, with the store's errors and time-outs. Values reach ClickHouse only as bound parameters or as
 * the body of an insert.
 */
export class Connection {
  private readonly client: ClickHouseClient;

  constructor(private readonly options: ConnectionOptions) {
    this.client = createClient({
      url: options.url,
      username: options.user,
      password: options.password,
      database: options.database,
      application: 'tributary',
      request_timeout: Math.max(options.insertTimeoutMs, options.queryTimeoutMs) + 5_000,
      max_open_connections: options.maxConnections,
      // Shorter than the server keeps an idle connection (3 s in old versions, 10 s or more today).
      keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
      compression: { request: false, response: false },
      // Lists of ids would pass the length of a URL.
      use_multipart_params_auto: true,
      // Failures come back as errors and are logged where they are handled.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /** The rows of a SELECT, each as the array of its columns. 64-bit integers come as numbers. */
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
    share: ReadShare | undefined,
  ): Promise<Row[]> {
    const queryId = randomUUID();
    const purpose = options.purpose ?? 'read';
    return this.guarded({ purpose, signal: options.signal, queryId }, async (signal) => {
      const result = await this.client.query({
        query,
        query_id: queryId,
        format: 'JSONCompactEachRow',
        query_params: options.params,
        abort_signal: signal,
        clickhouse_settings: {
          output_format_json_quote_64bit_integers: 0,
          // The double nearest to a text: the other way is off in the last digit.
          precise_float_parsing: 1,
          // Nothing can be written by a read; and only a read-only query ends with its connection.
          readonly: '2',
          cancel_http_readonly_queries_on_client_close: 1,
          ...options.settings,
        },
      });
      return share ? rowsWithin(result, share) : result.json<Row>();
    });
  }

  /** The answer of a SELECT with its FORMAT, as it arrives. An abort ends the query, also while the answer is read. */
  async open(
    query: string,
    { params, settings, signal }: Required<Pick<SelectOptions, 'params' | 'settings' | 'signal'>>,
  ): Promise<Readable> {
    const queryId = randomUUID();
    const { stream } = await this.guarded({ purpose: 'read', signal, queryId }, (either) =>
      this.client.exec({
        query,
        query_id: queryId,
        query_params: params,
        abort_signal: either,
        clickhouse_settings: { readonly: '2', cancel_http_readonly_queries_on_client_close: 1, ...settings },
      }),
    );
    const end = () => void this.end(queryId);
    signal.addEventListener('abort', end, { once: true });
    stream.once('close', () => signal.removeEventListener('abort', end));
    return addAbortSignal(signal, stream);
  }

  /** Runs a statement that has no answer. */
  async command(
    query: string,
    params: Record<string, unknown> = {},
    settings: ClickHouseSettings = {},
  ): Promise<void> {
    await this.guarded({ purpose: 'write' }, (signal) =>
      this.client.command({
        query,
        query_params: params,
        abort_signal: signal,
        clickhouse_settings: settings,
      }),
    );
  }

  /** Inserts a body in RowBinary, given in parts, as one block. */
  async insert(query: string, body: readonly Buffer[], settings: ClickHouseSettings): Promise<void> {
    await this.guarded({ purpose: 'write' }, async (signal) => {
      const answer = await this.client.exec({
        query,
        values: Readable.from(body, { objectMode: false }),
        abort_signal: signal,
        clickhouse_settings: settings,
      });
      // The answer is empty; its end says that the insert is complete, and frees the socket.
      answer.stream.resume();
      await finished(answer.stream);
    });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async guarded<T>(
    { purpose, signal, queryId }: { purpose: Purpose; signal?: AbortSignal; queryId?: string },
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
        const message = `The query took longer than ${this.options.queryTimeoutMs / 1000} s and was ended.`;
        throw new QueryTooExpensiveError(message, { cause: error });
      }
      throw translated(error as Error, purpose, timeout);
    }
  }

  /**
   * Ends a query that nobody waits for any more: ClickHouse notices a closed connection only when it next writes to it.
   * Resolves with whether ClickHouse answers at all.
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

/** @throws StoreOverloadedError when the budget has no room; leaving the loop ends the query. */
async function rowsWithin<Row>(result: ResultSet<'JSONCompactEachRow'>, share: ReadShare): Promise<Row[]> {
  const read: Row[] = [];
  for await (const rows of result.stream<Row>()) {
    if (!share.take(rows.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0)))
      throw new StoreOverloadedError('Too many bytes of answers are held already');
    for (const row of rows) read.push(row.json<Row>());
  }
  return read;
}

/** After it, ClickHouse counts as unreachable; what it still computes ends by its own bounds. */
const killTimeoutMs = 5_000;

function translated(error: Error, purpose: Purpose, timeout: AbortSignal): Error {
  // A TypeError is a mistake of ours: no later try mends it.
  if (error instanceof StoreOverloadedError || error instanceof TypeError) return error;
  if (timeout.aborted)
    return new StoreUnavailableError('ClickHouse did not answer in time', { cause: error });
  if (!(error instanceof ClickHouseError)) {
    return new StoreUnavailableError(`ClickHouse cannot be reached: ${error.message}`, { cause: error });
  }
  if (Number(error.code) === invalidPatternCode)
    return new InvalidPatternError(error.message, { cause: error });
  return errorOfCode(Number(error.code), purpose, error);
}
