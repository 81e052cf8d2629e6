import type { SqlQuestion } from '../../sql-queries.js';
import { permittedConditions } from '../stream-scope.js';
import { Literals, literal, quoted } from './literals.js';

/** The names of the ClickHouse databases with the store's tables and with the analysts' views. */
export interface SqlDatabases {
  tables: string;
  views: string;
}

/**
 * Returns the value of the setting `additional_table_filters`: for each table, the rows that the key may see.
 * ClickHouse applies it to every read of the table, also inside views and subqueries.
 */
export function rowFilters(
  { permitted, views, builds }: Pick<SqlQuestion, 'permitted' | 'views' | 'builds'>,
  databases: SqlDatabases,
): string {
  const ownViews = `database = ${quoted(databases.views)} AND ${oneOf('table', views)}`;
  const filters = {
    [`${databases.tables}.events`]: eventFilter(permitted),
    [`${databases.tables}.projection_states`]: oneOf('owner', builds),
    'system.tables': ownViews,
    'system.columns': ownViews,
    'system.databases': `name = ${quoted(databases.views)}`,
    'system.settings': `name NOT IN ('additional_table_filters', 'log_comment')`,
    'system.functions': `origin = 'System'`,
  };
  const entries = Object.entries(filters).map(([table, filter]) => `${quoted(table)}: ${quoted(filter)}`);
  return `{${entries.join(', ')}}`;
}

function eventFilter(permitted: SqlQuestion['permitted']): string {
  const access = { ...permitted.access, reserved: false };
  return permittedConditions({ ...permitted, access }, new Literals()).join(' AND ');
}

function oneOf(column: string, values: readonly string[]): string {
  return `has(${values.length === 0 ? "CAST([], 'Array(String)')" : literal(values)}, ${column})`;
}
