import { TributaryError } from '../errors/tributary-error.js';

type Scalar = string | number | boolean | Date;

/** Query parameters. A list is sent as one parameter for each item; what is undefined is not sent. */
export type Query = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** The members of a query as parameters. */
export function queryOf(query: object): Query {
  return query as Query;
}

/** A path with its variable parts encoded. @throws TributaryError for `.` and `..`, which no address can hold */
export function path(fixed: TemplateStringsArray, ...names: (string | number)[]): string {
  return fixed.reduce((before, after, i) => before + encoded(names[i - 1]) + after);
}

function encoded(name: string | number | undefined): string {
  const text = String(name);
  if (text === '' || text === '.' || text === '..')
    throw new TributaryError(`"${text}" cannot be part of an address.`);
  return encodeURIComponent(text);
}

/** The query of an address, with its question mark, or an empty text. */
export function queryText(query: Query = {}): string {
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
