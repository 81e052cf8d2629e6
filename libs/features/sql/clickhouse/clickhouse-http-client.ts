import { request as requestHttp, Agent, type IncomingMessage } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { StoreUnavailableError } from '#store';
import { SqlError } from './analyst-sql.js';
import { errorMessage } from './error-message.js';

/** One SQL statement for ClickHouse's HTTP interface, with the parameters of its URL and its headers. */
interface ClickHouseHttpRequest {
  sql: string;
  /** Query parameters of the URL: ClickHouse settings, `param_*`, `database` and so on. */
  url: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Time limit in milliseconds until ClickHouse's answer begins. Default: 10 000. */
  patienceMs?: number;
}

/**
 * A client for ClickHouse's HTTP interface that returns answers as raw byte streams, in any output format and
 * compression.
 */
export class ClickHouseHttpClient {
  private readonly agent: Agent;
  private readonly base: URL;

  constructor(private readonly options: { url: string; user: string; password: string }) {
    this.base = new URL(options.url);
    const keepAlive = { keepAlive: true, timeout: 2_500 };
    this.agent = this.base.protocol === 'https:' ? new SecureAgent(keepAlive) : new Agent(keepAlive);
  }

  /**
   * Sends an SQL statement to ClickHouse, and resolves when the answer begins. @throws StoreUnavailableError, or the
   * signal's reason
   */
  async send(query: ClickHouseHttpRequest): Promise<IncomingMessage> {
    const { sql, url, headers, signal, patienceMs = 10_000 } = query;
    signal.throwIfAborted();
    const target = new URL(this.base);
    for (const [name, value] of Object.entries(url)) target.searchParams.set(name, value);
    const request = this.base.protocol === 'https:' ? requestHttps : requestHttp;
    const { user, password } = this.options;
    return new Promise((resolve, reject) => {
      const sent = request(target, {
        method: 'POST',
        agent: this.agent,
        signal,
        maxHeaderSize: mostHeaderBytes,
        headers: { ...headers, 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      });
      // A hanging server does not enforce the time limit of a statement, so the client does.
      const giveUp = () => sent.destroy(new Error(`no answer within ${patienceMs} ms`));
      const hangs = setTimeout(giveUp, patienceMs);
      sent.once('close', () => clearTimeout(hangs));
      sent.once('response', (answer) => {
        clearTimeout(hangs);
        resolve(answer);
      });
      sent.once('error', (error) => {
        const message = `ClickHouse cannot be reached: ${error.message}`;
        const unavailable = new StoreUnavailableError(message, { cause: error });
        reject(signal.aborted ? (signal.reason as Error) : unavailable);
      });
      sent.end(sql);
    });
  }

  /**
   * Sends a short SQL statement to ClickHouse, and resolves with the complete answer as text. @throws SqlError with
   * ClickHouse's message
   */
  async text(query: ClickHouseHttpRequest): Promise<string> {
    const answer = await this.send(query);
    if (answer.statusCode !== 200) throw await readSqlError(answer);
    return text(answer);
  }

  close(): void {
    this.agent.destroy();
  }
}

/** ClickHouse returns the query id, which names streams and projections (`policyQueryId`), in a header. Node's default is 16 KiB. */
const mostHeaderBytes = 256 * 1024;

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/** Reads the body of a failed answer of ClickHouse, and returns it as an error with ClickHouse's code and message. */
export async function readSqlError(answer: IncomingMessage): Promise<SqlError> {
  const decoder = decoders[answer.headers['content-encoding'] ?? '']?.();
  const body = await text(decoder ? answer.pipe(decoder) : answer).catch(() => '');
  const code = Number(answer.headers['x-clickhouse-exception-code'] ?? 0);
  const status = faultyStatement.has(code) ? 400 : (answer.statusCode ?? 500);
  return new SqlError(code, status, errorMessage(body));
}

/** Codes of an error that the statement caused, although ClickHouse answers some of them with 500. */
const faultyStatement = new Set([
  34, // TOO_MANY_ARGUMENTS_FOR_FUNCTION
  35, // TOO_FEW_ARGUMENTS_FOR_FUNCTION
  42, // NUMBER_OF_ARGUMENTS_DOESNT_MATCH
  43, // ILLEGAL_TYPE_OF_ARGUMENT
  44, // ILLEGAL_COLUMN
  53, // TYPE_MISMATCH
  69, // ARGUMENT_OUT_OF_BOUND
  70, // CANNOT_CONVERT_TYPE
  80, // INCORRECT_QUERY
  128, // TOO_LARGE_ARRAY_SIZE
  131, // TOO_LARGE_STRING_SIZE
  153, // ILLEGAL_DIVISION
  167, // TOO_DEEP_AST
  168, // TOO_BIG_AST
  184, // ILLEGAL_AGGREGATION
  190, // SIZES_OF_ARRAYS_DONT_MATCH
  215, // NOT_AN_AGGREGATE
  306, // TOO_DEEP_RECURSION
  386, // NO_COMMON_TYPE
  395, // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
]);
