/** Collects the values of a query's parameters. The SQL text contains only the placeholders that `bind` returns. */
export interface SqlValueBinder {
  /** Binds a value and returns its placeholder. @param type a ClickHouse type from this code, never from a client */
  bind(type: string, value: unknown): string;
}
