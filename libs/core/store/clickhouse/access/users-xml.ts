/** A settings profile in a file of ClickHouse users. */
export interface ProfileInFile {
  name: string;
  values?: Readonly<Record<string, number | string>>;
  /** Settings that its users cannot change. */
  constant: readonly string[];
  /** Settings that its users can change although they may only read. */
  changeable?: readonly string[];
}

/** A user in a file of ClickHouse users. */
export interface UserInFile {
  name: string;
  /** The XML element with the password. */
  login: string;
  /** Addresses from which the user may log in: `127.0.0.1`, `::/0` for all. */
  network: string;
  /** Name of a settings profile. */
  profile: string;
  grants: readonly string[];
  /** For the tables of these databases, by the table's name: the condition of the rows that the user sees. */
  filtered?: { databases: readonly string[]; conditions: Readonly<Record<string, string>> };
}

/** The content of a file of ClickHouse users. */
interface UsersFile {
  profiles: readonly ProfileInFile[];
  users: readonly UserInFile[];
  /** Whether the file defines the users' quota. A file for the folder `users.d` does not: the main file has it. */
  withQuota: boolean;
}

/** Returns a file of users that a ClickHouse server reads: its main file, or one for the folder `users.d`. */
export function makeUsersFile({ profiles, users, withQuota }: UsersFile): string {
  return `<clickhouse>
  <profiles>
${profiles.map(profileElement).join('\n')}
  </profiles>${withQuota ? '\n  <quotas><default/></quotas>' : ''}
  <users>
${users.map(userElement).join('\n')}
  </users>
</clickhouse>
`;
}

function profileElement({ name, values = {}, constant, changeable = [] }: ProfileInFile): string {
  const settings = Object.entries(values).map(
    ([setting, value]) => `\n      <${setting}>${value}</${setting}>`,
  );
  const constraints = [
    ...constant.map((setting) => `<${setting}><const/></${setting}>`),
    ...changeable.map((setting) => `<${setting}><changeable_in_readonly/></${setting}>`),
  ];
  return `    <${name}>${settings.join('')}
      <constraints>
        ${constraints.join('\n        ')}
      </constraints>
    </${name}>`;
}

function userElement({ name, login, network, profile, grants, filtered }: UserInFile): string {
  const queries = grants.map((grant) => `<query>GRANT ${escapedXml(grant)}</query>`);
  const { databases = [], conditions = {} } = filtered ?? {};
  const filters = databases.map((database) => filtersElement(database, conditions)).join('');
  return `    <${name}>
      ${login}
      <networks><ip>${network}</ip></networks>
      <profile>${profile}</profile>
      <quota>default</quota>
      <grants>
        ${queries.join('\n        ')}
      </grants>${filters && `\n      <databases>${filters}\n      </databases>`}
    </${name}>`;
}

function filtersElement(database: string, conditions: Readonly<Record<string, string>>): string {
  const filters = Object.entries(conditions).map(
    ([table, condition]) => `<${table}><filter>${escapedXml(condition)}</filter></${table}>`,
  );
  return `
        <database name="${escapedXml(database)}">
          ${filters.join('\n          ')}
        </database>`;
}

/** Returns text as it is written in an XML element or attribute. */
export function escapedXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
