import { quote, statementKind } from './sql.js';
import { LocalClickHouseRequestError, code } from './errors.js';

/**
 * A statement with its database, format, parameters and settings, as read from one HTTP request in ClickHouse's form.
 */
export interface QueryRequest {
  /** The statement; it contains rows of an INSERT only if they were sent in the URL. */
  sql: string;
  database: string | undefined;
  /** `param_*` without the prefix, in ClickHouse's escaped form. */
  params: Map<string, string>;
  /** All other parameters of the URL: settings of this query. */
  settings: Map<string, string>;
  format: string;
  queryId: string;
  /** Version of ClickHouse's protocol in which the client reads the format Native; 0 for the oldest. */
  protocolVersion: number;
}

/** Parameters of the URL that are not settings of the engine. */
const reserved = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'session_timeout',
  'session_check',
  'close_session',
  'user',
  'password',
  'quota_key',
  'stacktrace',
  'buffer_size',
  'wait_end_of_query',
  'client_protocol_version',
]);
/**
 * Settings of ClickHouse's HTTP server, which the engine does not know. The embedded server uses or ignores settings of
 * ClickHouse's HTTP server.
 */
const ofTheServer = /^(enable_http_compression|http_.*|send_progress_in_http_headers|cancel_http_.*)$/;
const unsupported = new Set(['compress', 'decompress', 'role', 'session_id']);

/** URL, headers and query id of an HTTP request, without its body. */
interface RequestHead {
  url: URL;
  headers: Record<string, string | string[] | undefined>;
  queryId: string;
}

/** Reads a request's URL and headers. @throws LocalClickHouseRequestError for an unsupported feature. */
export function readRequest(line: RequestHead): QueryRequest {
  const search = line.url.searchParams;
  const header = (name: string): string | undefined => {
    const value = line.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const request: QueryRequest = {
    sql: search.get('query') ?? '',
    database: search.get('database') ?? header('x-clickhouse-database') ?? undefined,
    params: new Map(),
    settings: new Map(),
    format: search.get('default_format') ?? header('x-clickhouse-format') ?? 'TabSeparated',
    queryId: line.queryId,
    protocolVersion: Number(search.get('client_protocol_version') ?? 0) || 0,
  };
  for (const [name, value] of search) addField(request, name, value);
  return request;
}

/** Adds one parameter of the URL or one part of a multipart body to the request. */
export function addField(request: QueryRequest, name: string, value: string): void {
  if (unsupported.has(name) && value !== '0') {
    throw new LocalClickHouseRequestError(
      code.notImplemented,
      'NOT_IMPLEMENTED',
      `The embedded ClickHouse does not support the URL parameter ${name}`,
    );
  }
  // The name becomes part of a SET statement.
  if (!/^\w{1,128}$/.test(name)) {
    throw new LocalClickHouseRequestError(
      code.unknownSetting,
      'UNKNOWN_SETTING',
      `Unknown setting ${quote(name)}`,
    );
  }
  if (name.startsWith('param_')) request.params.set(name.slice(6), value);
  else if (!reserved.has(name) && !ofTheServer.test(name) && !unsupported.has(name)) {
    request.settings.set(name, value);
  }
}

const selecting = new Set(['SELECT', 'WITH', 'FROM']);
const reading = new Set([...selecting, 'SHOW', 'DESCRIBE', 'DESC', 'EXISTS', 'EXPLAIN', 'CHECK']);

/** Refuses a GET that changes data, as ClickHouse's server does. @throws LocalClickHouseRequestError */
export function assertAllowedByMethod(method: string, sql: string): void {
  if (method === 'POST' || reading.has(statementKind(sql))) return;
  throw new LocalClickHouseRequestError(
    code.readonly,
    'READONLY',
    'Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. You should use method POST for modifying queries',
  );
}

/** Whether the engine can answer a statement block by block. */
export function isSelecting(sql: string): boolean {
  return selecting.has(statementKind(sql));
}

/** Whether a statement only reads. */
export function isReading(sql: string): boolean {
  return reading.has(statementKind(sql));
}
