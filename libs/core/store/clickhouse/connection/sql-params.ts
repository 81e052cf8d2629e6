export { TupleParam } from '@clickhouse/client';

/** The text of an SQL statement for ClickHouse, with the values of its bound parameters. */
export interface ParameterizedSql {
  query: string;
  params: Record<string, unknown>;
}

/**
 * Collects the parameters of a ClickHouse query. The SQL text contains only the placeholders that `bind` returns, never
 * a value.
 */
export class SqlParams {
  readonly values: Record<string, unknown> = {};
  private count = 0;

  /** @param type A ClickHouse type; always a constant of this code base. */
  bind(type: string, value: unknown): string {
    const name = `p${this.count++}`;
    this.values[name] = value;
    return `{${name}:${type}}`;
  }

  /** Binds a time in microseconds, as a constant that ClickHouse can compare with the primary key. */
  time(micros: number): string {
    return `fromUnixTimestamp64Micro(${this.bind('Int64', micros)}, 'UTC')`;
  }

  /** Returns a statement with the parameters that are bound so far. */
  statement(query: string): ParameterizedSql {
    return { query, params: this.values };
  }
}

/** Returns the text as an escaped SQL string literal. */
export function quoteText(text: string): string {
  return `'${escaped(text, "'")}'`;
}

/** Returns the name as an escaped SQL identifier in backticks. */
export function quoteIdentifier(name: string): string {
  return `\`${escaped(name, '`')}\``;
}

function escaped(text: string, quote: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0');
}
