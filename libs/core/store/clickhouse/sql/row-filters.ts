import type { SqlRequest } from '../../analyst-sql.js';
import { scopeConditions } from '../connection/stream-scope.js';
import { SqlLiteralBinder, sqlLiteral, quoteText } from '../connection/sql-params.js';

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
