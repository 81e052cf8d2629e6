import { quoteIdentifier } from '../connection/sql-params.js';

/** Names of the ClickHouse users: one of the apps, one for statements of analysts. */
export const clickHouseUsers = { apps: 'tributary', analysts: 'sql' } as const;

/** Returns the name of the database that has the tables of one shard on each server of a cluster. */
export function shardDatabase(database: string): string {
  return `${database}_local`;
}

/** Table engines that the tables of the store and of tests have. */
const tableEngines = [
  ...['MergeTree', 'ReplacingMergeTree', 'SummingMergeTree', 'AggregatingMergeTree', 'Memory', 'Null'],
  ...['Distributed', 'ReplicatedReplacingMergeTree', 'ReplicatedAggregatingMergeTree'],
];

/**
 * Returns the privileges of the apps and of those who look into the data, each with what it is granted on. A database whose
 * name ends with `*` stands for all with that prefix. ClickHouse asks for no privilege for the scalar function `file` and
 * for `disk(type = 'local')`: decision 0024.
 */
export function appGrants(databases: readonly string[]): string[] {
  const inDatabase = (database: string) =>
    `CHECK, SHOW, SELECT, INSERT, ALTER, TRUNCATE, OPTIMIZE, DROP, UNDROP TABLE, CREATE DATABASE, CREATE TABLE, CREATE VIEW, SYSTEM MERGES, SYSTEM SYNC REPLICA ON ${
      database.endsWith('*') ? database : quoteIdentifier(database)
    }.*`;
  return [
    ...databases.map(inDatabase),
    'SELECT ON system.*',
    'SHOW, KILL QUERY, CREATE TEMPORARY TABLE, SYSTEM JEMALLOC ON *.*',
    ...tableEngines.map((engine) => `TABLE ENGINE ON ${engine}`),
  ];
}
