import { reservedStreamPrefix } from '#api';
import { quoteIdentifier, quoteText } from '../connection/sql-params.js';
import type { TableAndViewDatabases } from '../sql/row-filters.js';
import { generationsHeader, prefixesHeader, streamsHeader } from '../sql/policy-headers.js';
import { analystSettingNames, fixedStatementSettings } from '../sql/statement-settings.js';

/** Names of the ClickHouse users: one of the apps, one for statements of analysts. */
export const clickHouseUsers = { apps: 'tributary', analysts: 'sql' } as const;

/** Table engines that the tables of the store and of tests have. */
const tableEngines = [
  ...['MergeTree', 'ReplacingMergeTree', 'SummingMergeTree', 'AggregatingMergeTree', 'Memory', 'Null'],
];

/**
 * Returns the privileges of the apps and of those who look into the data, each with what it is granted on. A database whose
 * name ends with `*` stands for all with that prefix. ClickHouse asks for no privilege for the scalar function `file` and
 * for `disk(type = 'local')`: decision 0024.
 */
export function appGrants(databases: readonly string[]): string[] {
  const inDatabase = (database: string) =>
    `CHECK, SHOW, SELECT, INSERT, ALTER, TRUNCATE, OPTIMIZE, DROP, UNDROP TABLE, CREATE DATABASE, CREATE TABLE, CREATE VIEW, SYSTEM MERGES ON ${
      database.endsWith('*') ? database : quoteIdentifier(database)
    }.*`;
  return [
    ...databases.map(inDatabase),
    'SELECT ON system.*',
    'SHOW, KILL QUERY, CREATE TEMPORARY TABLE, SYSTEM JEMALLOC ON *.*',
    ...tableEngines.map((engine) => `TABLE ENGINE ON ${engine}`),
  ];
}

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

/** Settings that the user for analysts has and cannot change. */
export const analystConstants: Readonly<Record<string, string>> = {
  allow_get_client_http_header: '1',
  ...fixedStatementSettings,
};

/** Settings that the gateway sends with the statements of analysts, whose user may change no other. */
export const analystChangeable: readonly string[] = analystSettingNames;

const listed = (header: string) => `splitByChar(',', getClientHTTPHeader(${quoteText(header)}))`;
const isListed = (column: string, header: string) =>
  `${column} IN (SELECT arrayJoin(${listed(header)}) AS listed)`;
/** A list of prefixes is compared for each row, so it is a header of its own. A policy cannot contain a scalar subquery. */
const hasPrefix = `arrayExists(prefix -> prefix != '' AND startsWith(stream, substring(prefix, 1, length(prefix) - 1)), ${listed(prefixesHeader)})`;
const permitted =
  `(${isListed('stream', streamsHeader)} OR ${hasPrefix}) ` +
  `AND NOT startsWith(stream, ${quoteText(reservedStreamPrefix)})`;

/**
 * The condition of each table that the user for analysts may read: it sees the rows that the gateway names in headers,
 * which no statement can change. Without the headers it sees no rows.
 */
export const analystRowPolicies: Readonly<Record<string, string>> = {
  events: permitted,
  dropped_streams: permitted,
  projection_results: isListed('owner', generationsHeader),
};
