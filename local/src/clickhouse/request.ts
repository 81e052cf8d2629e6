import { quote, statementKind } from './sql.js';
import { ClickHouseException, code } from './errors.js';

/** What one HTTP request asks the engine to do. */
export interface QueryRequest {
  /** The statement; rows of an INSERT are not part of it unless they came in the URL. */
  sql: string;
  database: string | undefined;
  /** `param_*`, in ClickHouse's escaped form, without the prefix. */
  params: Map<string, string>;
  /** Everything else in the URL: settings of this query. */
  settings: Map<string, string>;
  format: string;
  queryId: string;
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
/** Settings of ClickHouse's HTTP server that mean something here or nothing, and nothing to the engine. */
const ofTheServer = /^(enable_http_compression|http_.*|send_progress_in_http_headers|cancel_http_.*)$/;
const unsupported = new Set(['compress', 'decompress', 'role', 'session_id']);

export interface RequestLine {
  url: URL;
  headers: Record<string, string | string[] | undefined>;
  queryId: string;
}

/** Reads a request's URL and headers. @throws ClickHouseException for what this server cannot do. */
export function readRequest(line: RequestLine): QueryRequest {
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
  };
  for (const [name, value] of search) addField(request, name, value);
  return request;
}

/** Takes over one parameter of the URL or one part of a multipart body. */
export function addField(request: QueryRequest, name: string, value: string): void {
  if (unsupported.has(name) && value !== '0') {
    throw new ClickHouseException(
      code.notImplemented,
      'NOT_IMPLEMENTED',
      `The embedded ClickHouse does not support the URL parameter ${name}`,
    );
  }
  // It becomes a part of a SET.
  if (!/^\w{1,128}$/.test(name)) {
    throw new ClickHouseException(code.unknownSetting, 'UNKNOWN_SETTING', `Unknown setting ${quote(name)}`);
  }
  if (name.startsWith('param_')) request.params.set(name.slice(6), value);
  else if (!reserved.has(name) && !ofTheServer.test(name) && !unsupported.has(name)) {
    request.settings.set(name, value);
  }
}

const selecting = new Set(['SELECT', 'WITH', 'FROM']);
const reading = new Set([...selecting, 'SHOW', 'DESCRIBE', 'DESC', 'EXISTS', 'EXPLAIN', 'CHECK']);

/** A GET changes nothing, as on ClickHouse's server. @throws ClickHouseException */
export function assertAllowedByMethod(method: string, sql: string): void {
  if (method === 'POST' || reading.has(statementKind(sql))) return;
  throw new ClickHouseException(
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
