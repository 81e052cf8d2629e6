/**
 * Values of `{name:Type}` in a statement. What is no number, boolean or null is written as ClickHouse writes it:
 * `2026-01-31 10:00:00` for a DateTime, `['a','b']` for an Array(String).
 */
export type SqlParameters = Readonly<Record<string, string | number | boolean | null>>;
