import {
  analystConstants,
  analystGrants,
  analystProfile,
  analystRowPolicies,
  analystSettingNames,
} from '#features/sql/clickhouse';
import { appGrants, clickHouseUsers, makeUsersFile } from '#store';

/** Paths of the generated files that make the users of a ClickHouse server. The chart contains them. */
export const usersFiles = {
  sql: 'helm/tributary/files/clickhouse-users.sql',
  xml: 'helm/tributary/files/clickhouse-users.xml',
} as const;

const databases = { tables: 'tributary', views: 'tributary_sql' };
const profile = 'tributary_analysts';

/**
 * Returns the SQL statements that make both users, for an administrator of a ClickHouse server with SQL-driven access
 * control. They can be repeated. The passwords are the query parameters `tributary_password` and `sql_password`.
 */
export function makeUsersSql(): string {
  const settings = [
    'readonly = 1',
    ...Object.entries(analystConstants).map(([name, value]) => `${name} = '${value}' CONST`),
    ...analystSettingNames.map((name) => `${name} CHANGEABLE_IN_READONLY`),
  ];
  const policies = Object.entries(analystRowPolicies).flatMap(([table, condition]) => [
    `CREATE ROW POLICY OR REPLACE tributary_analysts ON ${databases.tables}.${table} USING ${condition} TO sql`,
    `CREATE ROW POLICY OR REPLACE tributary_others ON ${databases.tables}.${table} USING 1 TO ALL EXCEPT sql`,
  ]);
  const statements = [
    'CREATE USER IF NOT EXISTS tributary IDENTIFIED BY {tributary_password:String}',
    'CREATE USER IF NOT EXISTS sql IDENTIFIED BY {sql_password:String}',
    // What an earlier version granted. The apps repeat what fails meanwhile.
    'REVOKE ALL ON *.* FROM tributary, sql',
    ...appGrants(Object.values(databases)).map((grant) => `GRANT ${grant} TO tributary`),
    `CREATE SETTINGS PROFILE IF NOT EXISTS ${profile}`,
    `ALTER SETTINGS PROFILE ${profile} SETTINGS ${settings.join(', ')}`,
    `ALTER USER sql SETTINGS PROFILE '${profile}'`,
    ...analystGrants(databases).map((grant) => `GRANT ${grant} TO sql`),
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
  const filtered = { databases: [databases.tables], conditions: analystRowPolicies };
  const file = makeUsersFile({
    withQuota: false,
    profiles: [analystProfile(profile)],
    users: [
      {
        ...{ name: clickHouseUsers.apps, login: password('CLICKHOUSE_APP_PASSWORD'), network: anywhere },
        ...{ profile: 'default', grants: appGrants(Object.values(databases)) },
      },
      {
        ...{ name: clickHouseUsers.analysts, login: password('SQL_CLICKHOUSE_PASSWORD'), network: anywhere },
        ...{ profile, grants: analystGrants(databases), filtered },
      },
    ],
  });
  return `<!-- The ClickHouse users of the apps and of analysts' statements. Written by npm run format:settings. -->\n${file}`;
}
