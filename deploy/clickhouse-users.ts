import {
  analystGrants,
  analystProfile,
  analystRowPolicies,
  analystSettingNames,
  fixedStatementSettings,
} from '#features/sql/clickhouse';
import { appGrants, clickHouseUsers, makeUsersFile, shardDatabase } from '#store';

/** Paths of the generated files that make the users of a ClickHouse server. The chart contains them. */
export const usersFiles = {
  sql: 'helm/tributary/files/clickhouse-users.sql',
  xml: 'helm/tributary/files/clickhouse-users.xml',
} as const;

const [tables, views] = ['tributary', 'tributary_sql'];
/** The databases of tables: on a cluster, the second one has those of the server's shard. */
const tableDatabases = [tables, shardDatabase(tables)];
const appDatabases = [...tableDatabases, views];
const grantsOfAnalysts = [
  ...new Set(tableDatabases.flatMap((name) => analystGrants({ tables: name, views }))),
];
const profile = 'tributary_analysts';

/**
 * Returns the SQL statements that make both users, for an administrator of a ClickHouse server with SQL-driven access
 * control. They can be repeated. The passwords are the query parameters `tributary_password` and `sql_password`.
 */
export function makeUsersSql(): string {
  const settings = [
    'readonly = 1',
    ...Object.entries(fixedStatementSettings).map(([name, value]) => `${name} = '${value}' CONST`),
    ...analystSettingNames.map((name) => `${name} CHANGEABLE_IN_READONLY`),
  ];
  const policies = tableDatabases.flatMap((database) =>
    Object.entries(analystRowPolicies).flatMap(([table, condition]) => [
      `CREATE ROW POLICY OR REPLACE tributary_analysts ON ${database}.${table} USING ${condition} TO sql`,
      `CREATE ROW POLICY OR REPLACE tributary_others ON ${database}.${table} USING 1 TO ALL EXCEPT sql`,
    ]),
  );
  const statements = [
    'CREATE USER IF NOT EXISTS tributary IDENTIFIED BY {tributary_password:String}',
    'CREATE USER IF NOT EXISTS sql IDENTIFIED BY {sql_password:String}',
    // What an earlier version granted. The apps repeat what fails meanwhile.
    'REVOKE ALL ON *.* FROM tributary, sql',
    ...appGrants(appDatabases).map((grant) => `GRANT ${grant} TO tributary`),
    `CREATE SETTINGS PROFILE IF NOT EXISTS ${profile}`,
    `ALTER SETTINGS PROFILE ${profile} SETTINGS ${settings.join(', ')}`,
    `ALTER USER sql SETTINGS PROFILE '${profile}'`,
    ...grantsOfAnalysts.map((grant) => `GRANT ${grant} TO sql`),
    ...policies,
  ];
  return `-- The ClickHouse users of the apps and of analysts' statements. Written by npm run format:settings. Run it as an administrator:
--   clickhouse-client --param_tributary_password=… --param_sql_password=… --queries-file clickhouse-users.sql
${statements.map((statement) => `${statement};\n`).join('')}`;
}

/**
 * Returns a file for the folder `users.d` of a ClickHouse server that makes the same users. The server reads the
 * passwords from the environment variables `CLICKHOUSE_APP_PASSWORD` and `SQL_CLICKHOUSE_PASSWORD`. Without one of them it
 * does not start: it drops an `optional` element, and refuses a user without a password element. If the element were not
 * `optional`, the password would be empty.
 */
export function makeUsersXml(): string {
  const password = (variable: string) => `<password from_env="${variable}" optional="true"/>`;
  const anywhere = '::/0';
  const filtered = { databases: tableDatabases, conditions: analystRowPolicies };
  const file = makeUsersFile({
    withQuota: false,
    profiles: [analystProfile(profile)],
    users: [
      {
        ...{ name: clickHouseUsers.apps, login: password('CLICKHOUSE_APP_PASSWORD'), network: anywhere },
        ...{ profile: 'default', grants: appGrants(appDatabases) },
      },
      {
        ...{ name: clickHouseUsers.analysts, login: password('SQL_CLICKHOUSE_PASSWORD'), network: anywhere },
        ...{ profile, grants: grantsOfAnalysts, filtered },
      },
    ],
  });
  return `<!-- The ClickHouse users of the apps and of analysts' statements. Written by npm run format:settings. -->\n${file}`;
}
