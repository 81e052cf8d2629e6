/** Collects the bound values of a query. Only the result of `bind` becomes part of the SQL text. */
export interface SqlParams {
  /** Binds a value and returns its placeholder. @param type a ClickHouse type from this code, never from a client */
  bind(type: string, value: unknown): string;
}
