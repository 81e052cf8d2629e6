import type { QueryParameters } from '../http/address.js';
import type { SqlParameters } from '../types/index.js';

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' };

/** Returns the URL parameters for the parameters of a statement, in the escaped form that ClickHouse parses. */
export function sqlParameters(parameters: SqlParameters): QueryParameters {
  const entries = Object.entries(parameters);
  return Object.fromEntries(entries.map(([name, value]) => [`param_${name}`, escaped(value)]));
}

function escaped(value: string | number | boolean | null): string {
  return value === null ? '\\N' : String(value).replace(/[\\\t\n\r\0]/g, (one) => escapes[one]!);
}
