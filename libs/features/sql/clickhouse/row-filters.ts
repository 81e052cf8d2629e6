import type { SqlRequest } from './analyst-sql.js';
import { scopeConditions, SqlParams, quoteText } from '#store';

/**
 * Names of two ClickHouse databases: `tables` contains the store's tables, `views` contains the SQL views for analysts.
 */
export interface TableAndViewDatabases {
  tables: string;
  views: string;
}

/**
 * Returns the value of ClickHouse's setting `additional_table_filters`: for each table, a condition for the rows that
 * the API key may see. ClickHouse applies it to every read of the table, also inside views and subqueries.
 */
export function rowFilters(
  { permitted, views, generations }: Pick<SqlRequest, 'permitted' | 'views' | 'generations'>,
  databases: TableAndViewDatabases,
): string {
  const ownViews = `database = ${quoteText(databases.views)} AND ${oneOf('table', views)}`;
  const filters = {
    [`${databases.tables}.events`]: eventFilter(permitted),
    [`${databases.tables}.projection_results`]: oneOf('owner', generations),
    'system.tables': ownViews,
    'system.columns': ownViews,
    'system.databases': `name = ${quoteText(databases.views)}`,
    'system.settings': `name NOT IN ('additional_table_filters', 'log_comment')`,
    'system.functions': `origin = 'System'`,
  };
  const entries = Object.entries(filters).map(
    ([table, filter]) => `${quoteText(table)}: ${quoteText(filter)}`,
  );
  return `{${entries.join(', ')}}`;
}

function eventFilter(permitted: SqlRequest['permitted']): string {
  const access = { ...permitted.access, reserved: false };
  return scopeConditions({ ...permitted, access }, new SqlLiteralBinder()).join(' AND ');
}

function oneOf(column: string, values: readonly string[]): string {
  return `has(${values.length === 0 ? "CAST([], 'Array(String)')" : sqlLiteral(values)}, ${column})`;
}

/** Writes values as escaped SQL literals, for settings and views, where ClickHouse accepts no parameters. */
class SqlLiteralBinder extends SqlParams {
  override bind(_type: string, value: unknown): string {
    return sqlLiteral(value);
  }
}

/** Returns a string, a number or a list of these as an escaped SQL literal. @throws TypeError for any other value */
function sqlLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sqlLiteral).join(', ')}]`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quoteText(value);
  throw new TypeError('A literal must be a string, a number or a list of these');
}
