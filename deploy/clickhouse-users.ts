import { analystChangeable, analystConstants, analystGrants, analystRowPolicies, appGrants } from '#store';

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
    ...Object.entries(analystConstants).map(([name, value]) => `${name} = ${value} CONST`),
    ...analystChangeable.map((name) => `${name} CHANGEABLE_IN_READONLY`),
  ];
  const policies = Object.entries(analystRowPolicies).flatMap(([table, condition]) => [
    `CREATE ROW POLICY OR REPLACE tributary_analysts ON ${databases.tables}.${table} USING ${condition} TO sql`,
    `CREATE ROW POLICY OR REPLACE tributary_others ON ${databases.tables}.${table} USING 1 TO ALL EXCEPT sql`,
  ]);
  const statements = [
    'CREATE USER IF NOT EXISTS tributary IDENTIFIED BY {tributary_password:String}',
    ...appGrants.map((grant) => `GRANT ${grant} TO tributary`),
    `CREATE SETTINGS PROFILE OR REPLACE ${profile} SETTINGS ${settings.join(', ')}`,
    `CREATE USER IF NOT EXISTS sql IDENTIFIED BY {sql_password:String} SETTINGS PROFILE '${profile}'`,
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
  const constraints = [
    ...Object.keys(analystConstants).map((name) => `<${name}><const/></${name}>`),
    ...analystChangeable.map((name) => `<${name}><changeable_in_readonly/></${name}>`),
  ];
  const constants = Object.entries(analystConstants).map(([name, value]) => `<${name}>${value}</${name}>`);
  const filters = Object.entries(analystRowPolicies).map(
    ([table, condition]) => `          <${table}><filter>${escaped(condition)}</filter></${table}>`,
  );
  return `<!-- The ClickHouse users of the apps and of analysts' statements. Written by npm run format:settings. -->
<clickhouse>
  <profiles>
    <${profile}>
      <readonly>1</readonly>
      ${constants.join('')}
      <constraints>
        ${constraints.join('\n        ')}
      </constraints>
    </${profile}>
  </profiles>
  <users>
    <tributary>
      <password from_env="CLICKHOUSE_APP_PASSWORD" optional="true"/>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        ${appGrants.map(grantElement).join('\n        ')}
      </grants>
    </tributary>
    <sql>
      <password from_env="SQL_CLICKHOUSE_PASSWORD" optional="true"/>
      <networks><ip>::/0</ip></networks>
      <profile>${profile}</profile>
      <quota>default</quota>
      <grants>
        ${analystGrants(databases).map(grantElement).join('\n        ')}
      </grants>
      <databases>
        <${databases.tables}>
${filters.join('\n')}
        </${databases.tables}>
      </databases>
    </sql>
  </users>
</clickhouse>
`;
}

const grantElement = (grant: string): string => `<query>GRANT ${escaped(grant)}</query>`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
