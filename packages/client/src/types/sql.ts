/**
 * Values of `{name:Type}` in a statement. A value that is not a number, boolean or null has ClickHouse's text form:
 * `2026-01-31 10:00:00` for a DateTime, `['a','b']` for an Array(String).
 */
export type SqlParameters = Readonly<Record<string, string | number | boolean | null>>;
