import { describe, expect, it } from 'vitest';
import { MigrationMismatchError } from '../migrations.js';
import { StoreUnavailableError } from '../../errors.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';
import { ReplicatedConnection } from './replicated-connection.js';

/** A server that notes its statements, and can be down, or lack parts of the others. */
class FakeServer {
  down = false;
  lags = false;
  /** The error of each removal. */
  fails = '';
  /** Called while an insert runs. */
  during: () => Promise<void> = async () => undefined;
  readonly statements: string[] = [];

  constructor(readonly url: string) {}

  readonly connection = {
    select: async (query: string) => {
      this.requireUp();
      if (query.includes('system.tables')) return [['events'], ['positions']];
      this.statements.push(query);
      return [[this.url]];
    },
    command: async (statement: string) => {
      this.requireUp();
      if (statement.startsWith('SYSTEM') && this.lags) throw new StoreUnavailableError('a part is missing');
      if (statement === 'DELETE' && this.fails !== '') throw new StoreUnavailableError(this.fails);
      this.statements.push(statement);
    },
    insert: async (statement: string) => {
      this.requireUp();
      this.statements.push(statement);
      await this.during();
    },
    close: async () => undefined,
  } as unknown as ClickHouseConnection;

  private requireUp(): void {
    if (this.down) throw new StoreUnavailableError(`${this.url} is down`);
  }
}

const syncs = ['SYSTEM SYNC REPLICA `events` LIGHTWEIGHT', 'SYSTEM SYNC REPLICA `positions` LIGHTWEIGHT'];

function shardOf(replicas: number) {
  const servers = Array.from({ length: replicas }, (_, n) => new FakeServer(`server ${n + 1}`));
  const connection = new ReplicatedConnection(servers);
  const answer = async () => (await connection.select<[string]>('SELECT 1'))[0]?.[0];
  return { servers, connection, answer };
}

describe('a connection to the replicas of a shard', () => {
  it('reads and writes on the first replica, once it has the parts of the others', async () => {
    const { servers, connection, answer } = shardOf(2);
    expect(await answer()).toBe('server 1');
    await connection.insert('INSERT', [], {});
    expect(servers[0]!.statements).toEqual([...syncs, 'SELECT 1', 'INSERT']);
  });

  it('resolves an insert when the other replicas have its parts', async () => {
    const { servers, connection } = shardOf(3);
    await connection.insert('INSERT', [], {});
    expect(servers.map(({ statements }) => statements)).toEqual([[...syncs, 'INSERT'], syncs, syncs]);
  });

  it('resolves an insert without a replica that does not answer, and does not ask it at the next ones', async () => {
    const { servers, connection } = shardOf(2);
    servers[1]!.down = true;
    await connection.insert('INSERT', [], {});
    servers[1]!.down = false;
    await connection.insert('INSERT', [], {});
    expect(servers[1]!.statements).toEqual([]);
  });

  it('resolves an insert only when the replica that others chose meanwhile has its parts', async () => {
    const { servers, connection, answer } = shardOf(2);
    servers[0]!.during = async () => {
      servers[0]!.down = true;
      await answer().catch(() => undefined);
      expect(await answer()).toBe('server 2');
      servers[1]!.lags = true;
      servers[0]!.down = false;
    };
    await expect(connection.insert('INSERT', [], {})).rejects.toThrow('a part is missing');
  });

  it('takes a removal as done that the replicas which answer have done', async () => {
    const { servers, connection } = shardOf(2);
    servers[0]!.fails =
      'error 341: Mutation is not finished because some replicas are inactive right now: r2';
    await connection.command('DELETE');
    servers[0]!.fails = 'error 341: Mutation failed';
    await expect(connection.command('DELETE')).rejects.toThrow('Mutation failed');
  });

  it('shares one look for missing parts among the calls that wait for it', async () => {
    const { servers, connection, answer } = shardOf(2);
    await answer();
    servers[0]!.statements.length = 0;
    await Promise.all(Array.from({ length: 100 }, () => connection.caughtUp()));
    expect(servers[0]!.statements).toEqual(syncs);
  });

  it('given a replica that goes down, fails once, and then uses the next one', async () => {
    const { servers, answer } = shardOf(2);
    await answer();
    servers[0]!.down = true;
    await expect(answer()).rejects.toThrow('server 1 is down');
    expect([await answer(), await answer()]).toEqual(['server 2', 'server 2']);
    expect(servers[1]!.statements).toEqual([...syncs, 'SELECT 1', 'SELECT 1']);
  });

  it('never uses a replica that lacks parts of the others: it is unavailable until one has them', async () => {
    const { servers, answer } = shardOf(2);
    servers[0]!.down = true;
    servers[1]!.lags = true;
    for (let n = 0; n < 2; n++) await expect(answer()).rejects.toThrow(StoreUnavailableError);
    expect(servers[1]!.statements).toEqual([]);
    servers[1]!.lags = false;
    expect(await answer()).toBe('server 2');
  });

  it('has caught up when its replica has the parts that others wrote meanwhile', async () => {
    const { servers, connection, answer } = shardOf(2);
    await answer();
    servers[0]!.statements.length = 0;
    await connection.caughtUp();
    expect(servers[0]!.statements).toEqual(syncs);
    servers[0]!.down = true;
    await expect(connection.caughtUp()).rejects.toThrow('server 1 is down');
    await connection.caughtUp();
    expect(await answer()).toBe('server 2');
  });

  it('asks for no parts if the shard has one server', async () => {
    const { servers, connection, answer } = shardOf(1);
    await answer();
    await connection.insert('INSERT', [], {});
    await connection.caughtUp();
    expect(servers[0]!.statements).toEqual(['SELECT 1', 'INSERT']);
  });

  it('creates the tables of those that answer, and those of the others before their next use', async () => {
    const { servers, connection, answer } = shardOf(2);
    const create = ({ connection: server }: { connection: ClickHouseConnection }) => server.command('CREATE');
    servers[1]!.down = true;
    await connection.prepare(create);
    servers[1]!.down = false;
    servers[0]!.down = true;
    expect(await answer().catch(answer)).toBe('server 2');
    expect(servers.map(({ statements }) => statements)).toEqual([
      ['CREATE'],
      ['CREATE', ...syncs, 'SELECT 1'],
    ]);
  });

  it('cannot be prepared if no replica answers, or if one has other tables', async () => {
    const { servers, connection } = shardOf(2);
    await expect(
      connection.prepare(({ url }) =>
        url === 'server 2' ? Promise.reject(new MigrationMismatchError('other tables')) : Promise.resolve(),
      ),
    ).rejects.toThrow('other tables');
    for (const server of servers) server.down = true;
    await expect(connection.prepare(({ connection: one }) => one.command('CREATE'))).rejects.toThrow(
      'server 1 is down',
    );
  });
});
