import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { EXCEPTION_TAG_HEADER_NAME, parseError, type ClickHouseSettings } from '@clickhouse/client';
import type { AnswerMemoryShare } from '../answer-memory-budget.js';
import { AnswerMemoryExhaustedError } from '../errors.js';
import { queryParameterText } from './query-parameter-text.js';
import { ResultRowParser } from './result-row-parser.js';

/** Address and credentials of ClickHouse, and the maximum number of sockets for SELECTs. */
export interface SelectConnectionOptions {
  url: string;
  user: string;
  password: string;
  database: string;
  maxConnections: number;
}

/** One SELECT without a FORMAT clause, with the values of its parameters. */
export interface SelectRequest {
  query: string;
  queryId: string;
  params: Record<string, unknown>;
  settings: ClickHouseSettings;
}

/** Idle sockets are closed after this time: below ClickHouse's own time (3 s in old versions, 10 s or more in current ones). */
const idleSocketMs = 2_500;
/** Parameters with a longer text in the URL are sent in the body, because proxies limit the length of a URL. */
const maxParameterCharacters = 4_096;

/**
 * Sends SELECTs to ClickHouse's HTTP interface and returns the rows. The official client waits a millisecond before each
 * request and sends a request's text and reads its rows through several streams: a third of the time that the gateway
 * adds to a page.
 */
export class SelectConnection {
  private readonly agent: HttpAgent;
  private readonly request: typeof requestHttp;
  private readonly authorization: string;

  constructor(private readonly options: SelectConnectionOptions) {
    const isTls = new URL(options.url).protocol === 'https:';
    const sockets = { keepAlive: true, maxSockets: options.maxConnections, timeout: idleSocketMs };
    this.agent = isTls ? new HttpsAgent(sockets) : new HttpAgent(sockets);
    this.request = isTls ? requestHttps : requestHttp;
    const credentials = Buffer.from(`${options.user}:${options.password}`).toString('base64');
    this.authorization = `Basic ${credentials}`;
  }

  /**
   * Runs a SELECT and returns its rows, each as an array of column values.
   * @param share Counts the bytes of the answer.
   * @throws ClickHouseError; AnswerMemoryExhaustedError, which also cancels the query; an error of the network; any error
   * once the signal is aborted
   */
  async rows<Row>(select: SelectRequest, signal: AbortSignal, share?: AnswerMemoryShare): Promise<Row[]> {
    const encoded = await this.encoded(select);
    return this.send(encoded, signal, (response) => readRows<Row>(response, share));
  }

  close(): void {
    this.agent.destroy();
  }

  private async encoded({ query, queryId, params, settings }: SelectRequest): Promise<EncodedSelect> {
    const given = Object.entries(params).map(([name, value]): [string, string] => [
      `param_${name}`,
      queryParameterText(value),
    ]);
    const parameters = new URLSearchParams(given).toString();
    const { database } = this.options;
    const line = new URLSearchParams({ query_id: queryId, database, ...textsOf(settings) }).toString();
    const statement = `${query}\nFORMAT JSONCompactEachRow`;
    if (parameters.length <= maxParameterCharacters)
      return { search: `${parameters}&${line}`, body: statement, headers: {} };
    const form = new FormData();
    form.append('query', statement);
    for (const [name, value] of given) form.append(name, value);
    const multipart = new Response(form);
    const headers = { 'content-type': multipart.headers.get('content-type') ?? '' };
    return { search: line, body: Buffer.from(await multipart.arrayBuffer()), headers };
  }

  /**
   * Sends a request, and once more if ClickHouse closed the idle socket on which the request was sent. Both requests have
   * the same effect, because a SELECT changes nothing.
   */
  private async send<T>(select: EncodedSelect, signal: AbortSignal, read: ResponseReader<T>): Promise<T> {
    try {
      return await this.sendOnce(select, signal, read);
    } catch (error) {
      if (!(error instanceof StaleSocketError) || signal.aborted) throw error;
      return await this.sendOnce(select, signal, read);
    }
  }

  private sendOnce<T>(select: EncodedSelect, signal: AbortSignal, read: ResponseReader<T>): Promise<T> {
    const { search, body, headers } = select;
    return new Promise((resolve, reject) => {
      const url = new URL(this.options.url);
      url.search = search;
      const request = this.request(url, {
        method: 'POST',
        agent: this.agent,
        signal,
        headers: {
          authorization: this.authorization,
          'content-length': Buffer.byteLength(body),
          'user-agent': 'tributary',
          ...headers,
        },
      });
      // Reads at once: an error of a response that has no listener yet would end the process.
      request.once('response', (response) => resolve(read(response)));
      // Not `once`: an abort while the response is read is also an error of the request.
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(isStale ? new StaleSocketError(error.message, { cause: error }) : error);
      });
      // Node sends a text together with the headers, in one write.
      request.end(body);
    });
  }
}

type ResponseReader<T> = (response: IncomingMessage) => Promise<T>;

interface EncodedSelect {
  search: string;
  body: string | Buffer;
  headers: Record<string, string>;
}

/** Error: the socket of a request was closed before its answer began, although it was used before. */
class StaleSocketError extends Error {
  override readonly name = 'StaleSocketError';
}

function textsOf(settings: ClickHouseSettings): Record<string, string> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function readRows<Row>(
  response: IncomingMessage,
  share: AnswerMemoryShare | undefined,
): Promise<Row[]> {
  const { headers, statusCode } = response;
  if (statusCode !== 200 || headers['x-clickhouse-exception-code'] !== undefined)
    throw parseError(await text(response));
  const parser = new ResultRowParser<Row>(headers[EXCEPTION_TAG_HEADER_NAME]?.toString());
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error);
      response.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      if (share?.take(chunk.length) === false)
        return fail(new AnswerMemoryExhaustedError('The answers being read exceed the memory budget'));
      attempt(() => parser.add(chunk), fail);
    });
    // ClickHouse cuts the connection after an error that it reports at the end of an answer.
    response.once('error', (error) => reject(parser.error ?? error));
    response.once('end', () => attempt(() => resolve(parser.end()), fail));
  });
}

function attempt(work: () => void, fail: (error: Error) => void): void {
  try {
    work();
  } catch (error) {
    fail(error as Error);
  }
}
