import { createHash } from 'node:crypto';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { quoteIdentifier } from './literals.js';
import { policyTables, type RowPolicyConditions } from './row-filters.js';

/** Names of the database of the tables, and of the ClickHouse user for analysts' statements. */
interface ApiKeyRolesOptions {
  tables: string;
  user: string;
}

/** Days after which a role is dropped; no process uses it any more, because roles are made again each day. */
const keptDays = 2;
const dayMs = 86_400_000;

/**
 * Manages ClickHouse roles for API keys, with a row policy on each table that the views read. The name of a role
 * consists of the key, the day and a hash of the conditions. So a role never changes, and all processes agree which
 * roles are old. The user for analysts' statements sees no rows without a role.
 */
export class ApiKeyRoleManager {
  /** Names of the roles that this process has made, by key id. */
  private readonly made = new Map<string, string>();
  private prepared: Promise<void> | undefined;

  constructor(
    private readonly connection: Pick<StoreClickHouseClient, 'command' | 'select'>,
    private readonly options: ApiKeyRolesOptions,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns the key's role for these conditions. Makes the role if this process has not made it. */
  async roleOf(keyId: string, conditions: RowPolicyConditions): Promise<string> {
    const role = `${this.prefixOf(keyId)}${this.today()}:${hashOf(conditions)}`;
    if (this.made.get(keyId) === role) return role;
    this.prepared ??= this.runAll(basePolicies(this.options));
    await this.prepared.catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    await this.runAll(roleStatements(role, conditions, this.options));
    this.made.set(keyId, role);
    return role;
  }

  /** Makes the next call of `roleOf` make the role again, because ClickHouse does not have it. */
  forget(keyId: string): void {
    this.made.delete(keyId);
    this.prepared = undefined;
  }

  /** Drops the roles of the ended keys, and all roles that are some days old. */
  async dropUnused(endedKeys: readonly string[]): Promise<void> {
    for (const keyId of endedKeys) this.made.delete(keyId);
    const ended = endedKeys.map((keyId) => this.prefixOf(keyId));
    for (const name of await this.present())
      if (this.isOld(name) || ended.some((prefix) => name.startsWith(prefix)))
        await this.runAll(dropStatements(name, this.options));
  }

  private isOld(role: string): boolean {
    const day = Number(role.split(':').at(-2));
    return day <= this.today() - keptDays;
  }

  /** Returns the number of days since 1970. */
  private today(): number {
    return Math.floor(this.now() / dayMs);
  }

  private async present(): Promise<string[]> {
    const rows = await this.connection.select<[string]>(
      'SELECT name FROM system.roles WHERE startsWith(name, {prefix:String})',
      { params: { prefix: `${this.options.tables}:` }, purpose: 'lookup' },
    );
    return rows.map(([name]) => name);
  }

  private prefixOf(keyId: string): string {
    return `${this.options.tables}:${keyId}:`;
  }

  private async runAll(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.connection.command(statement);
  }
}

function hashOf(conditions: RowPolicyConditions): string {
  return createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, 16);
}

/**
 * Returns the statements for the policies without a role: every other user sees all rows, also on a server that hides
 * the rows of a table with policies from users without one; the user for analysts sees none.
 */
export function basePolicies({ tables, user }: ApiKeyRolesOptions): string[] {
  return policyTables.flatMap((name) => {
    const table = `${quoteIdentifier(tables)}.${quoteIdentifier(name)}`;
    const analysts = quoteIdentifier(user);
    return [
      `CREATE ROW POLICY OR REPLACE tributary_others ON ${table} FOR SELECT USING 1 TO ALL EXCEPT ${analysts}`,
      `CREATE ROW POLICY OR REPLACE tributary_analysts ON ${table} FOR SELECT USING 0 TO ${analysts}`,
    ];
  });
}

/** Returns the statements for one role. The user gets the role last: with its policies, or not at all. */
export function roleStatements(
  role: string,
  conditions: RowPolicyConditions,
  { tables, user }: ApiKeyRolesOptions,
): string[] {
  const name = quoteIdentifier(role);
  return [
    `CREATE ROLE IF NOT EXISTS ${name}`,
    ...Object.entries(conditions).map(
      ([table, condition]) =>
        `CREATE ROW POLICY OR REPLACE ${name} ON ${quoteIdentifier(tables)}.${quoteIdentifier(table)} ` +
        `FOR SELECT USING ${condition} TO ${name}`,
    ),
    `GRANT ${name} TO ${quoteIdentifier(user)}`,
  ];
}

/**
 * Returns the statements that drop one role. The user loses the role first: a statement with the role then fails, and
 * does not see an empty table.
 */
export function dropStatements(role: string, { tables, user }: ApiKeyRolesOptions): string[] {
  const name = quoteIdentifier(role);
  const on = policyTables.map((table) => `${quoteIdentifier(tables)}.${quoteIdentifier(table)}`);
  return [
    `REVOKE ${name} FROM ${quoteIdentifier(user)}`,
    ...on.map((table) => `DROP ROW POLICY IF EXISTS ${name} ON ${table}`),
    `DROP ROLE IF EXISTS ${name}`,
  ];
}
