import { createHash } from 'node:crypto';
import { analystGrants, analystProfile, analystRowPolicies } from '#features/sql/clickhouse';
import { appGrants, clickHouseUsers, escapedXml, makeUsersFile, shardDatabase } from '#store';

/** A cluster of embedded ClickHouse servers. */
export interface ClusterConfig {
  name: string;
  /** By which the servers know each other: one asks another one as the user who asked it. */
  secret: string;
  /** The servers of each shard, in the order of the shards. */
  shards: readonly (readonly { host: string; tcpPort: number }[])[];
}

/** Files, memory limit and cluster of an embedded ClickHouse server. */
interface ServerConfigOptions {
  /** Absolute path of the file that contains the users. */
  usersFile: string;
  /** Bytes that the server may allocate in total; a query that exceeds them fails. */
  maxMemoryBytes: number;
  /** Whether the server keeps `system.query_log` and `system.part_log`, for a day. */
  logsQueries: boolean;
  cluster: ClusterConfig | undefined;
}

/** The tables in which the server logs statements and parts, for those who look into the store. */
const systemLogs = ['query_log', 'part_log'];

function systemLog(name: string): string {
  return `<${name}><database>system</database><table>${name}</table><ttl>event_date + INTERVAL 1 DAY DELETE</ttl><max_size_rows>100000</max_size_rows><reserved_size_rows>1024</reserved_size_rows><buffer_size_rows_flush_threshold>10000</buffer_size_rows_flush_threshold></${name}>`;
}

function remoteServers({ name, secret, shards }: ClusterConfig): string {
  const replica = ({ host, tcpPort }: { host: string; tcpPort: number }) =>
    `<replica><host>${host}</host><port>${tcpPort}</port></replica>`;
  const all = shards.map(
    (servers) =>
      `<shard><internal_replication>true</internal_replication>${servers.map(replica).join('')}</shard>`,
  );
  return `<remote_servers><${name}><secret>${escapedXml(secret)}</secret>${all.join('')}</${name}></remote_servers>`;
}

/**
 * Returns the server's configuration. No remote host of a URL and no other disk is allowed. The caches are small: the defaults
 * are for a large server, whose caches may grow to 5 GB each.
 * Source: https://clickhouse.com/docs/operations/server-configuration-parameters/settings
 */
export function serverConfig(options: ServerConfigOptions): string {
  const { usersFile, maxMemoryBytes, logsQueries, cluster } = options;
  const mib = 2 ** 20;
  return `<clickhouse>
  <logger><console>1</console></logger>
  <user_directories><users_xml><path>${escapedXml(usersFile)}</path></users_xml></user_directories>
  <users_config>${escapedXml(usersFile)}</users_config>
  <max_server_memory_usage>${maxMemoryBytes}</max_server_memory_usage>
  <mark_cache_size>${128 * mib}</mark_cache_size>
  <primary_index_cache_size>${128 * mib}</primary_index_cache_size>
  <index_mark_cache_size>${32 * mib}</index_mark_cache_size>
  <query_condition_cache_size>${16 * mib}</query_condition_cache_size>
  ${logsQueries ? systemLogs.map(systemLog).join('') : ''}
  ${cluster ? remoteServers(cluster) : ''}
  <listen_reuse_port>1</listen_reuse_port>
  <remote_url_allow_hosts></remote_url_allow_hosts>
  <allowed_disks_for_table_engines>default</allowed_disks_for_table_engines>
</clickhouse>
`;
}

/**
 * Settings that no statement may change: with them it could read or write a file, connect to a server, or run another
 * text without a grant.
 */
const fixedSettings = [
  'allow_experimental_ai_functions',
  'allow_experimental_eval_table_function',
  'dialect',
  'format_avro_schema_registry_url',
  'format_schema',
  'format_schema_source',
  'format_template_resultset',
  'format_template_row',
  'input_format_record_errors_file_path',
  'output_format_schema',
  'merge_tree_disk',
  'merge_tree_storage_policy',
];

/**
 * The statement that opens the ports. It runs as the user `default`, who has no password: everybody who reaches a port
 * may be that user. So `default` may run nothing larger and nothing longer.
 */
export const listenStatement = 'SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP';
const unauthenticatedSettings = { max_ast_elements: 2, max_query_size: 64 };

/** Passwords of the users, and the databases that analysts may read. */
interface UsersConfigOptions {
  password: string;
  analystPassword: string;
  /** Databases that the apps may create and use; a name that ends with `*` stands for all with that prefix. */
  appDatabases: readonly string[];
  /** Databases of tables; the views of each are in `<database>_sql`. */
  analystDatabases: readonly string[];
  /** Whether the server belongs to a cluster, whose shards have the rows in databases of their own. */
  isShard: boolean;
}

/**
 * Returns the file of users: `default`, who can only open and close the ports, the user of the apps, and the user for
 * statements of analysts.
 */
export function usersConfig(options: UsersConfigOptions): string {
  const { password, analystPassword, appDatabases, analystDatabases, isShard } = options;
  const tablesOf = (database: string) => (isShard ? [database, shardDatabase(database)] : [database]);
  const network = '127.0.0.0/8';
  return makeUsersFile({
    withQuota: true,
    profiles: [
      { name: 'default', constant: fixedSettings },
      {
        name: 'unauthenticated',
        values: unauthenticatedSettings,
        constant: [...Object.keys(unauthenticatedSettings), ...fixedSettings],
      },
      analystProfile('analysts', fixedSettings),
    ],
    users: [
      {
        name: 'default',
        login: '<no_password/>',
        network,
        profile: 'unauthenticated',
        grants: ['SYSTEM LISTEN ON *.*'],
      },
      {
        name: clickHouseUsers.apps,
        login: hashed(password),
        network,
        profile: 'default',
        grants: appGrants(appDatabases),
      },
      {
        name: clickHouseUsers.analysts,
        login: hashed(analystPassword),
        network,
        profile: 'analysts',
        grants: analystDatabases.flatMap((database) =>
          tablesOf(database).flatMap((tables) => analystGrants({ tables, views: `${database}_sql` })),
        ),
        filtered: { databases: analystDatabases.flatMap(tablesOf), conditions: analystRowPolicies },
      },
    ],
  });
}

function hashed(password: string): string {
  return `<password_sha256_hex>${createHash('sha256').update(password).digest('hex')}</password_sha256_hex>`;
}
