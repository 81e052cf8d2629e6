import { reservedStreamPrefix } from '#api';
import { quoteIdentifier, quoteText, type ProfileInFile } from '#store';
import type { TableAndViewDatabases } from './row-filters.js';
import { listInQueryId } from './policy-query-id.js';
import { analystSettingNames, fixedStatementSettings } from './statement-settings.js';

/** Privileges of the user for analysts: the views, and the tables that the views read. A view runs with its reader's rights. */
export function analystGrants({ tables, views }: TableAndViewDatabases): string[] {
  const [inTables, inViews] = [quoteIdentifier(tables), quoteIdentifier(views)];
  return [
    `SELECT ON ${inViews}.*`,
    'SELECT ON information_schema.*',
    'SELECT ON INFORMATION_SCHEMA.*',
    // `information_schema.tables` adds up these columns.
    `SELECT(database, table, active, primary_key_size, marks_bytes, secondary_indices_compressed_bytes, secondary_indices_marks_bytes) ON system.parts`,
    ...Object.keys(analystRowPolicies).map((table) => `SELECT ON ${inTables}.${table}`),
  ];
}

const isListed = (column: string, list: 'streams' | 'generations') =>
  `${column} IN (SELECT arrayJoin(${listInQueryId(list)}) AS listed)`;
/** A list of prefixes is compared for each row, so it is a list of its own. A policy cannot contain a scalar subquery. */
const hasPrefix = `arrayExists(prefix -> prefix != '' AND startsWith(stream, substring(prefix, 1, length(prefix) - 1)), ${listInQueryId('prefixes')})`;
const permitted =
  `(${isListed('stream', 'streams')} OR ${hasPrefix}) ` +
  `AND NOT startsWith(stream, ${quoteText(reservedStreamPrefix)})`;

/**
 * The condition of each table that the user for analysts may read: it sees the rows that the gateway names in the query id, which no
 * statement can change. With another query id it sees no rows.
 */
export const analystRowPolicies: Readonly<Record<string, string>> = {
  events: permitted,
  dropped_streams: permitted,
  projection_results: isListed('owner', 'generations'),
};

/** Returns the settings profile of the user for analysts. `fixed` are further settings that no statement may change. */
export function analystProfile(name: string, fixed: readonly string[] = []): ProfileInFile {
  return {
    name,
    values: { readonly: '1', ...fixedStatementSettings },
    constant: [...Object.keys(fixedStatementSettings), ...fixed],
    changeable: analystSettingNames,
  };
}
