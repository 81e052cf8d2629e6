import { createHash } from 'node:crypto';
import {
  analystChangeable,
  analystConstants,
  analystGrants,
  analystRowPolicies,
  appGrants,
  clickHouseUsers,
} from '#store';

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

/** Passwords of the users, and the databases that analysts may read. */
interface UsersConfigOptions {
  password: string;
  analystPassword: string;
  /** Databases of tables; the views of each are in `<database>_sql`. */
  analystDatabases: readonly string[];
}

/**
 * Returns the file of users: `default`, who can only open and close the ports, the user of the apps, and the user for
 * statements of analysts.
 */
export function usersConfig({ password, analystPassword, analystDatabases }: UsersConfigOptions): string {
  const fixed = fixedSettings.map((name) => constraint(name, 'const'));
  const analysts = [
    ...Object.keys(analystConstants).map((name) => constraint(name, 'const')),
    ...analystChangeable.map((name) => constraint(name, 'changeable_in_readonly')),
  ];
  const door = Object.keys(doorSettings).map((name) => constraint(name, 'const'));
  return `<clickhouse>
  <profiles>
    <default><constraints>${fixed.join('')}</constraints></default>
    <door>${values(doorSettings)}<constraints>${[...door, ...fixed].join('')}</constraints></door>
    <analysts>${values({ readonly: 1, ...analystConstants })}<constraints>${[...analysts, ...fixed].join('')}</constraints></analysts>
  </profiles>
  <quotas><default/></quotas>
  <users>
    ${user({ name: 'default', login: '<no_password/>', profile: 'door', grants: ['SYSTEM LISTEN ON *.*'] })}
    ${user({ name: clickHouseUsers.apps, login: hashed(password), profile: 'default', grants: appGrants })}
    ${user({
      ...{ name: clickHouseUsers.analysts, login: hashed(analystPassword), profile: 'analysts' },
      grants: analystDatabases.flatMap((tables) => analystGrants({ tables, views: `${tables}_sql` })),
      rest: `<databases>${analystDatabases.map(rowPolicies).join('')}</databases>`,
    })}
  </users>
</clickhouse>
`;
}

interface UserElement {
  name: string;
  login: string;
  profile: string;
  grants: readonly string[];
  rest?: string;
}

function user({ name, login, profile, grants, rest = '' }: UserElement): string {
  const queries = grants.map((grant) => `<query>GRANT ${escaped(grant)}</query>`);
  return (
    `<${name}>${login}<networks><ip>127.0.0.1</ip></networks><profile>${profile}</profile><quota>default</quota>` +
    `<grants>${queries.join('')}</grants>${rest}</${name}>`
  );
}

function rowPolicies(database: string): string {
  const tables = Object.entries(analystRowPolicies).map(
    ([table, condition]) => `<${table}><filter>${escaped(condition)}</filter></${table}>`,
  );
  return `<database name="${escaped(database)}">${tables.join('')}</database>`;
}

function hashed(password: string): string {
  return `<password_sha256_hex>${createHash('sha256').update(password).digest('hex')}</password_sha256_hex>`;
}

function values(settings: Readonly<Record<string, number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');
}

function constraint(name: string, kind: 'const' | 'changeable_in_readonly'): string {
  return `<${name}><${kind}/></${name}>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
