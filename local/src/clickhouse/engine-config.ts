/** Privileges for the apps and for users who inspect the data; none of them reaches outside the data folder. */
const grants = [
  'CHECK, SHOW, SELECT, INSERT, ALTER, TRUNCATE, OPTIMIZE, DROP, UNDROP TABLE, KILL QUERY',
  'CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE',
  'SYSTEM MERGES, SYSTEM JEMALLOC',
];

/**
 * Settings with which a statement could read or write a file, connect to a server, or run another text without a
 * grant.
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
 * Returns the engine's configuration. The only user of the engine has no grant on sources (files, URLs, S3, other
 * databases), dictionaries, named collections, users, functions and backups, and no remote host is allowed. `file` is
 * the path where the configuration will be stored: it also contains the users.
 */
export function engineConfig(file: string): string {
  const constraints = fixedSettings.map((name) => `<${name}><const/></${name}>`).join('');
  const queries = grants.map((privileges) => `<query>GRANT ${privileges} ON *.*</query>`).join('');
  return `<clickhouse>
  <users_config>${escaped(file)}</users_config>
  <remote_url_allow_hosts></remote_url_allow_hosts>
  <allowed_disks_for_table_engines>default</allowed_disks_for_table_engines>
  <profiles><default><constraints>${constraints}</constraints></default></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>${queries}</grants>
    </default>
  </users>
</clickhouse>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
