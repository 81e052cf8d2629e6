import { queryString } from './shell.js';

/** The part of a URL that selects a view: decoded segments below `/console`, and parameters. */
interface Place {
  segments: readonly string[];
  query: ReadonlyMap<string, readonly string[]>;
}

/** Changes of parameters: an undefined or empty value removes a parameter. */
export type QueryChange = Readonly<Record<string, string | number | true | readonly string[] | undefined>>;

const base = '/console';

/** Reads a view from a URL. An invalid escape stays as it is. */
export function placeOf(url: { pathname: string; search: string }): Place {
  const rest = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(url.search))
    query.set(name, [...(query.get(name) ?? []), value]);
  return { segments: rest.split('/').filter(Boolean).map(decoded), query };
}

/** Returns the URL of a view. */
export function hrefOf(segments: readonly string[], query: QueryChange = {}): string {
  const path = [base, ...segments.map(encodeURIComponent)].join('/');
  return path + (segments.length === 0 ? '/' : '') + queryString(query);
}

/** Returns the URL of the same view with other parameters. */
export function withQuery({ segments, query }: Place, change: QueryChange): string {
  return hrefOf(segments, { ...Object.fromEntries(query), ...change });
}

/** Returns the first value of a parameter; undefined if it is empty or missing. */
export function one({ query }: Place, name: string): string | undefined {
  return query.get(name)?.[0] || undefined;
}

/** Returns all values of a parameter that are not empty. */
export function all({ query }: Place, name: string): string[] {
  return (query.get(name) ?? []).filter(Boolean);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
