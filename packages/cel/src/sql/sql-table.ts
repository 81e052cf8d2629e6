/** A column of the table that a condition selects rows from. */
export type SqlColumn =
  | {
      readonly type: 'string' | 'integer' | 'time';
      /** SQL of the column's value. A time is a DateTime64(6). */
      readonly sql: string;
      /** SQL that is 1 in rows where the value is null; omitted if it never is. */
      readonly isNull?: string;
    }
  /** A column with the JSON text of an object. */
  | { readonly type: 'json'; readonly column: string };

/** How ClickHouse stores the values of the variable: one row for each value, with a column for each member. */
export interface SqlTable {
  readonly variable: string;
  readonly columns: Readonly<Record<string, SqlColumn>>;
}

/** Returns the names as a sentence lists them, such as "a, b and c". */
export function enumerated(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('');
}

/** Collects the values of a query's parameters. The SQL text contains only the placeholders that `bind` returns. */
export interface SqlValueBinder {
  /** Binds a value and returns its placeholder. @param type a ClickHouse type from this code, never from a client */
  bind(type: string, value: unknown): string;
}
