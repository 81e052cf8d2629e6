import type { SqlRequest } from '../../analyst-sql.js';
import { scopeConditions } from '../stream-scope.js';
import { SqlLiteralBinder, sqlLiteral, quoteText } from './literals.js';

/**
 * Names of two ClickHouse databases: `tables` contains the store's tables, `views` contains the SQL views for analysts.
 */
export interface TableAndViewDatabases {
  tables: string;
  views: string;
}

/** Names of the tables whose rows an API key limits. */
export const policyTables = ['events', 'projection_results'] as const;

/** For each of these tables, a condition for the rows that an API key may see. */
export type RowPolicyConditions = Record<(typeof policyTables)[number], string>;

/** Returns the conditions for the rows that the API key may see. */
export function tableConditions({
  permitted,
  builds,
}: Pick<SqlRequest, 'permitted' | 'builds'>): RowPolicyConditions {
  return { events: eventFilter(permitted), projection_results: oneOf('owner', builds) };
}

/**
 * Returns the value of ClickHouse's setting `additional_table_filters`: for each table, a condition for the rows that
 * the API key may see. ClickHouse applies it to every read of the table, also inside views and subqueries.
 */
export function rowFilters(
  { permitted, views, builds }: Pick<SqlRequest, 'permitted' | 'views' | 'builds'>,
  databases: TableAndViewDatabases,
): string {
  const ownViews = `database = ${quoteText(databases.views)} AND ${oneOf('table', views)}`;
  const conditions = Object.entries(tableConditions({ permitted, builds }));
  const filters = {
    ...Object.fromEntries(
      conditions.map(([table, condition]) => [`${databases.tables}.${table}`, condition]),
    ),
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
