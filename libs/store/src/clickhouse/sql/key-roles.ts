import { createHash } from 'node:crypto';
import type { ClickHouseConnection } from '../connection.js';
import { quoteIdentifier } from './literals.js';
import { policyTables, type TableConditions } from './row-filters.js';

/** Names of the database of the tables, and of the ClickHouse user for analysts' statements. */
export interface KeyRoleOptions {
  tables: string;
  user: string;
}

/**
 * Manages one ClickHouse role for each API key, with a row policy on each table that the views read. The role's name
 * contains a hash of the conditions, so a role never changes: other conditions make another role. The user for
 * analysts' statements sees no rows without a role. Several processes may make and drop roles concurrently.
 */
export class KeyRoles {
  /** Names of the roles that this process has made, by key id. */
  private readonly made = new Map<string, string>();
  private prepared: Promise<void> | undefined;

  constructor(
    private readonly connection: Pick<ClickHouseConnection, 'command' | 'select'>,
    private readonly options: KeyRoleOptions,
  ) {}

  /** Returns the key's role for these conditions. Makes the role if this process has not made it. */
  async roleOf(keyId: string, conditions: TableConditions): Promise<string> {
    const role = `${this.prefixOf(keyId)}${hashOf(conditions)}`;
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

  /** Drops the roles of the ended keys, and the roles with earlier conditions of the keys whose role is known. */
  async dropUnused(endedKeys: readonly string[]): Promise<void> {
    for (const keyId of endedKeys) this.made.delete(keyId);
    const ended = endedKeys.map((keyId) => this.prefixOf(keyId));
    const current = [...this.made].map(([keyId, role]) => ({ prefix: this.prefixOf(keyId), role }));
    for (const name of await this.present()) {
      const isUnused =
        ended.some((prefix) => name.startsWith(prefix)) ||
        current.some(({ prefix, role }) => name.startsWith(prefix) && name !== role);
      if (isUnused) await this.runAll(dropStatements(name, this.options));
    }
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

function hashOf(conditions: TableConditions): string {
  return createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, 16);
}

/**
 * Returns the statements for the policies without a role: every other user sees all rows, also on a server that hides
 * the rows of a table with policies from users without one; the user for analysts sees none.
 */
export function basePolicies({ tables, user }: KeyRoleOptions): string[] {
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
  conditions: TableConditions,
  { tables, user }: KeyRoleOptions,
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
 * Returns the statements that drop one role. The policies go first: a process that makes the role again meanwhile then
 * loses the role, and notices it.
 */
export function dropStatements(role: string, { tables }: Pick<KeyRoleOptions, 'tables'>): string[] {
  const name = quoteIdentifier(role);
  const on = policyTables.map((table) => `${quoteIdentifier(tables)}.${quoteIdentifier(table)}`);
  return [
    ...on.map((table) => `DROP ROW POLICY IF EXISTS ${name} ON ${table}`),
    `DROP ROLE IF EXISTS ${name}`,
  ];
}
