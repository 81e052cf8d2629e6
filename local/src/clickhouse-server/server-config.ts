import { createHash } from 'node:crypto';

/** The ClickHouse user of the apps. */
export const clickHouseUser = 'tributary';

/** Files and memory limit of an embedded ClickHouse server. */
interface ServerConfigOptions {
  /** Absolute path of the file that contains the users. */
  usersFile: string;
  /** Bytes that the server may allocate in total; a query that exceeds them fails. */
  maxMemoryBytes: number;
}

/**
 * Returns the server's configuration. No remote host and no other disk is allowed. The caches are small: the defaults
 * are for a large server, whose caches may grow to 5 GB each.
 * Source: https://clickhouse.com/docs/operations/server-configuration-parameters/settings
 */
export function serverConfig({ usersFile, maxMemoryBytes }: ServerConfigOptions): string {
  const mib = 2 ** 20;
  return `<clickhouse>
  <logger><console>1</console></logger>
  <user_directories><users_xml><path>${escaped(usersFile)}</path></users_xml></user_directories>
  <users_config>${escaped(usersFile)}</users_config>
  <max_server_memory_usage>${maxMemoryBytes}</max_server_memory_usage>
  <mark_cache_size>${128 * mib}</mark_cache_size>
  <primary_index_cache_size>${128 * mib}</primary_index_cache_size>
  <index_mark_cache_size>${32 * mib}</index_mark_cache_size>
  <query_condition_cache_size>${16 * mib}</query_condition_cache_size>
  <remote_url_allow_hosts></remote_url_allow_hosts>
  <allowed_disks_for_table_engines>default</allowed_disks_for_table_engines>
</clickhouse>
`;
}

/** Privileges of the apps and of those who look into the data. None of them reaches outside the data folder. */
const grants = [
  'CHECK, SHOW, SELECT, INSERT, ALTER, TRUNCATE, OPTIMIZE, DROP, UNDROP TABLE, KILL QUERY ON *.*',
  'CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE ON *.*',
  'SYSTEM MERGES, SYSTEM JEMALLOC ON *.*',
  ...['MergeTree', 'ReplacingMergeTree', 'SummingMergeTree', 'AggregatingMergeTree', 'Memory', 'Null'].map(
    (engine) => `TABLE ENGINE ON ${engine}`,
  ),
];

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
const doorSettings = { max_ast_elements: 2, max_query_size: 64 };

/** Returns the file of users: `default`, who can only open and close the ports, and the user of the apps. */
export function usersConfig(password: string): string {
  const sha256 = createHash('sha256').update(password).digest('hex');
  const fixed = (names: readonly string[]) =>
    `<constraints>${names.map((name) => `<${name}><const/></${name}>`).join('')}</constraints>`;
  const door = Object.entries(doorSettings).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<clickhouse>
  <profiles>
    <default>${fixed(fixedSettings)}</default>
    <door>${door.join('')}${fixed([...Object.keys(doorSettings), ...fixedSettings])}</door>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <no_password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>door</profile>
      <quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>
    <${clickHouseUser}>
      <password_sha256_hex>${sha256}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>${grants.map((grant) => `<query>GRANT ${grant}</query>`).join('')}</grants>
    </${clickHouseUser}>
  </users>
</clickhouse>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
