/** Collects the values of a query. Only what `bind` returns goes into the SQL's text. */
export interface SqlParams {
  /** @param type ClickHouse's type, written by us. */
  bind(type: string, value: unknown): string;
}
