/** Collects the values of a query. Only what `bind` returns goes into the SQL's text: never the value. */
export class Params {
  readonly values: Record<string, unknown> = {};
  private count = 0;

  /** @param type ClickHouse's type, written by us. */
  bind(type: string, value: unknown): string {
    const name = `p${this.count++}`;
    this.values[name] = value;
    return `{${name}:${type}}`;
  }

  /** A time in microseconds as a constant that the primary key can be compared with. */
  time(micros: number): string {
    return `fromUnixTimestamp64Micro(${this.bind('Int64', micros)}, 'UTC')`;
  }
}
