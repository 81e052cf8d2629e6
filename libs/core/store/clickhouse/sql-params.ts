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
}
