import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnalystSqlRunner, SqlRequest } from '../../analyst-sql.js';
import { openClickHouseSql } from '../open.js';

const tree = `SelectWithUnionQuery (children 1)
 ExpressionList (children 1)
  SelectQuery (children 1)
   ExpressionList (children 1)
    Literal UInt64_1
`;

/** A request to the recording server: who asked, the value of `role`, and the statement. */
interface Recorded {
  user: string;
  role: string | null;
  sql: string;
}

let server: Server;
let sql: AnalystSqlRunner;
let recorded: Recorded[];
let roles: string[];
/** The next statement with a role fails with this code of ClickHouse. */
let failsWith: number | undefined;
/** Whether the apps' user may not make roles. */
let refusesRoles: boolean;

beforeEach(async () => {
  [recorded, roles, failsWith, refusesRoles] = [[], [], undefined, false];
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apps = { url, user: 'apps', password: '', database: 'tributary' };
  sql = openClickHouseSql(apps, { user: { name: 'analysts', password: 'p' } });
});
afterEach(async () => {
  await sql.close();
  server.closeAllConnections();
  server.close();
});

/** Answers like ClickHouse, as far as the statements of these specs need it. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const statement = [url.searchParams.get('query') ?? '', await text(request)].join('').trim();
  const role = url.searchParams.get('role');
  recorded.push({ user: userOf(request), role, sql: statement });
  if (role !== null && failsWith !== undefined) {
    const code = failsWith;
    failsWith = undefined;
    response.writeHead(404, { 'x-clickhouse-exception-code': String(code) });
    return void response.end(`Code: ${code}. DB::Exception: There is no role. (UNKNOWN_ROLE)`);
  }
  if (refusesRoles && statement.startsWith('CREATE ROLE')) {
    response.writeHead(403, { 'x-clickhouse-exception-code': '497' });
    return void response.end('Code: 497. DB::Exception: apps: Not enough privileges. (ACCESS_DENIED)');
  }
  if (statement.includes('formatQuerySingleLine')) return void response.end('["SELECT 1","SELECT ?"]\n');
  if (statement.startsWith('EXPLAIN AST')) return void response.end(tree);
  if (statement.includes('system.roles'))
    return void response.end(roles.map((name) => `${JSON.stringify([name])}\n`).join(''));
  response.end(statement === 'SELECT 1' ? '1\n' : '');
}

function userOf({ headers }: IncomingMessage): string {
  const basic = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
  return [headers['x-clickhouse-user']].flat()[0] ?? basic.split(':')[0] ?? '';
}

function request(keyId: string, patterns: string[]): SqlRequest {
  return {
    ...{ text: 'SELECT 1', params: new Map(), format: undefined, queryId: 'q', keyId, seconds: undefined },
    permitted: { access: { patterns, reserved: false }, hidden: [] },
    ...{ views: ['events'], builds: ['b1'], acceptEncoding: undefined, transport: {} },
  };
}

async function run(asked: SqlRequest): Promise<string> {
  const never = new AbortController().signal;
  return text((await sql.run(asked, await sql.check(asked, never), never)).body);
}

const statementsOf = (user: string) => recorded.filter((one) => one.user === user);
const made = () => statementsOf('apps').map((one) => one.sql);
const usedRoles = () => statementsOf('analysts').flatMap(({ role }) => role ?? []);

describe('the user for analysts on a ClickHouse server', () => {
  it('runs every statement of a key with the role of that key', async () => {
    expect(await run(request('k1', ['orders#1']))).toBe('1\n');
    const [role, ...others] = usedRoles();
    expect(role).toMatch(/^tributary:k1:\d{5}:[0-9a-f]{16}$/);
    expect(others).toEqual([role]);
    expect(recorded.find((one) => one.sql === 'SELECT 1')).toMatchObject({ user: 'analysts', role });
  });

  it('gets the role last, after the policies that hide everything else', async () => {
    await run(request('k1', ['orders#1']));
    const [role] = usedRoles();
    const on = ['events', 'projection_results'].map(
      (table) => `ON \`tributary\`.\`${table}\` FOR SELECT USING`,
    );
    expect(made()).toEqual([
      ...on.flatMap((table) => [
        `CREATE ROW POLICY OR REPLACE tributary_others ${table} 1 TO ALL EXCEPT \`analysts\``,
        `CREATE ROW POLICY OR REPLACE tributary_analysts ${table} 0 TO \`analysts\``,
      ]),
      `CREATE ROLE IF NOT EXISTS \`${role}\``,
      expect.stringMatching(/USING .*stream = 'orders#1'.* TO `tributary:k1:/),
      `CREATE ROW POLICY OR REPLACE \`${role}\` ${on[1]} has(['b1'], owner) TO \`${role}\``,
      `GRANT \`${role}\` TO \`analysts\``,
    ]);
  });

  it('has another role for another key, and for other streams of a key', async () => {
    await run(request('k1', ['orders#1']));
    await run(request('k2', ['orders#1']));
    await run(request('k1', ['orders#1', 'refunds#2']));
    await run(request('k1', ['orders#1', 'refunds#2']));
    expect(new Set(usedRoles()).size).toBe(3);
    expect(made().filter((statement) => statement.startsWith('GRANT'))).toHaveLength(3);
  });

  it('gets a role again that somebody dropped', async () => {
    await run(request('k1', ['orders#1']));
    failsWith = 511;
    expect(await run(request('k1', ['orders#1']))).toBe('1\n');
    expect(made().filter((statement) => statement.startsWith('GRANT'))).toHaveLength(2);
  });

  it('runs no statement while the role cannot be made', async () => {
    refusesRoles = true;
    await expect(run(request('k1', ['orders#1']))).rejects.toThrow();
    expect(recorded.map((one) => one.sql)).not.toContain('SELECT 1');
  });

  it('loses the roles of ended keys, and roles that are two days old', async () => {
    await run(request('k1', ['orders#1']));
    const [role] = usedRoles();
    const today = Math.floor(Date.now() / 86_400_000);
    const old = `tributary:k1:${today - 2}:0`;
    const gone = `tributary:gone:${today}:0`;
    roles = [role!, old, gone, `tributary:k1:${today - 1}:0`, `tributary:k2:${today}:0`];
    recorded = [];
    await sql.publish({ eventTypes: [], projections: [], endedKeys: ['gone'] });
    const dropped = made().filter((statement) => statement.startsWith('DROP ROLE'));
    expect(dropped).toEqual([`DROP ROLE IF EXISTS \`${old}\``, `DROP ROLE IF EXISTS \`${gone}\``]);
  });
});
