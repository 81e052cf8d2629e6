import { TributaryError } from '../errors/tributary-error.js';
import type { SqlParameters } from '../types/index.js';

type Scalar = string | number | boolean | Date;

/** Query parameters. A list is sent as one parameter for each item; undefined and null values are not sent. */
export type QueryParameters = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** Returns the members of an object as query parameters. */
export function queryOf(query: object): QueryParameters {
  return query as QueryParameters;
}

/** Returns a path with encoded variable parts. @throws TributaryError for `.` and `..`, which a URL would normalize */
export function path(fixed: TemplateStringsArray, ...names: (string | number)[]): string {
  return fixed.reduce((before, after, i) => before + encoded(names[i - 1]) + after);
}

function encoded(name: string | number | undefined): string {
  const text = String(name);
  if (text === '' || text === '.' || text === '..')
    throw new TributaryError(`"${text}" cannot be part of a URL.`);
  return encodeURIComponent(text);
}

/** Returns query parameters as URL text that begins with `?`, or an empty text if there are none. */
export function queryText(query: QueryParameters = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value)
      ? (value as readonly Scalar[])
      : [value as Scalar | null | undefined])
      if (one !== undefined && one !== null) parameters.append(name, textOf(one));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

function textOf(value: Scalar): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' };

/** Returns the URL parameters for the parameters of a statement, in the escapedForSql form that ClickHouse parses. */
export function sqlParameters(parameters: SqlParameters): QueryParameters {
  const entries = Object.entries(parameters);
  return Object.fromEntries(entries.map(([name, value]) => [`param_${name}`, escapedForSql(value)]));
}

function escapedForSql(value: string | number | boolean | null): string {
  return value === null ? '\\N' : String(value).replace(/[\\\t\n\r\0]/g, (one) => escapes[one]!);
}
