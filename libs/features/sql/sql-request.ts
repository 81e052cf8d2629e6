import type { FastifyRequest } from 'fastify';
import { SqlError, type SqlRequest } from '#store';

/** The part of an `SqlRequest` that comes from the HTTP request. The authorization scope of the key is added later. */
type SqlInput = Pick<
  SqlRequest,
  'text' | 'params' | 'format' | 'queryId' | 'seconds' | 'transport' | 'acceptEncoding'
>;

/** Parameters in the query of the URL, with any names. */
export type UrlParameters = Readonly<Record<string, string | string[]>>;

/** Parameters that affect the transport of the answer, but not its content. */
const transportParameters = ['client_protocol_version', 'compress', 'enable_http_compression'];

/** Content encodings that the gateway lets ClickHouse use, because it can decode them to find errors in the answer. */
const readableEncodings = ['gzip', 'br', 'deflate'];

/**
 * Parses a request in the form of ClickHouse's HTTP interface. Parameters that are not listed here are settings of
 * ClickHouse, which analysts may not change. Settings of ClickHouse in an SQL request are ignored, because clients send
 * them by default.
 * @throws SqlError for a database other than that of the views
 */
export function sqlRequest(
  { request, parameters }: { request: FastifyRequest; parameters: UrlParameters },
  database: string,
): SqlInput {
  const given = byName(parameters);
  const header = (name: string) => [request.headers[name]].flat()[0];
  requireDatabase(given.get('database') ?? header('x-clickhouse-database') ?? '', database);
  const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  const params = [...given].filter(([name]) => /^param_\w{1,128}$/.test(name));
  const seconds = Number(given.get('max_execution_time'));
  return {
    text: [given.get('query') ?? '', body].filter(Boolean).join('\n'),
    params: new Map(params.map(([name, value]) => [name.slice('param_'.length), value])),
    format: given.get('default_format') ?? header('x-clickhouse-format'),
    queryId: cleanId(given.get('query_id')) ?? request.id,
    // ClickHouse takes a limit below a microsecond for no limit.
    seconds: seconds > 0 ? Math.ceil(seconds) : undefined,
    transport: Object.fromEntries(
      [...given].filter(([name, value]) => transportParameters.includes(name) && /^\d{1,9}$/.test(value)),
    ),
    acceptEncoding: acceptedEncodings(header('accept-encoding')),
  };
}

function byName(parameters: UrlParameters): Map<string, string> {
  return new Map(Object.entries(parameters).map(([name, value]) => [name, [value].flat().at(-1) ?? '']));
}

function requireDatabase(given: string, database: string): void {
  if (['', 'default', database].includes(given)) return;
  throw new SqlError(
    81,
    404,
    `There is no database ${JSON.stringify(given)} to read; leave it out, or name ${database}. (UNKNOWN_DATABASE)`,
  );
}

function cleanId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}

function acceptedEncodings(accept: string | undefined): string | undefined {
  const named = (accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const known = readableEncodings.filter((encoding) => named.includes(encoding));
  return known.length === 0 ? undefined : known.join(', ');
}
