import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { entityHash } from '#event';
import { rowBatchesOf } from '../../row-batch/row-batches-of.fixture.js';
import { eventRow, deadLetterOf, t0 } from '../../contract/rows.js';
import { StoreUnavailableError } from '../../errors.js';
import type { EventRemover } from '../../event-remover.js';
import { StoreClickHouseClient } from '../connection/store-clickhouse-client.js';
import { ClickHouseEventRemover } from './event-remover.js';
import { openTestStore, type TestStore } from '../test-store.js';

/** A connection to ClickHouse that fails at its n-th statement that modifies data. */
class BreakingConnection extends StoreClickHouseClient {
  statements = 0;
  breakAt = Infinity;

  override async command(...statement: Parameters<StoreClickHouseClient['command']>): Promise<void> {
    if (++this.statements === this.breakAt) throw new StoreUnavailableError('broken');
    return super.command(...statement);
  }
}

describe('a removal that is interrupted at any of its statements', () => {
  let test: TestStore;
  let connection: BreakingConnection;
  beforeAll(async () => {
    test = await openTestStore({ merges: true });
    connection = new BreakingConnection({
      ...test.options,
      maxConnections: 2,
      insertTimeoutMs: 60_000,
      queryTimeoutMs: 60_000,
    });
  });
  afterAll(async () => {
    await connection.close();
    await test.close();
  });

  /**
   * Stores entity `e` with two events below offset 10 and one above, entity `f` with one event below it, and a dead
   * letter of `e`. Returns the stream.
   */
  const given = async (): Promise<string> => {
    const stream = `s-${randomUUID()}`;
    const row = (offset: number, entity_id: string, version: number) =>
      eventRow({ stream, offset, entity_id, version, ingested_at: t0 + offset });
    await test.store.writer.appendRowBatches(
      rowBatchesOf([row(1, 'e', 1), row(2, 'f', 1), row(3, 'e', 2), row(20, 'e', 1)]),
      randomUUID(),
    );
    const event = '{"entity_id":"e"}';
    await test.store.writer.appendDeadLetters([deadLetterOf({ stream, offset: 4, event, created_at: t0 })]);
    return stream;
  };

  const seen = async (stream: string) => {
    const { reader } = test.store;
    const scope = { access: allStreams, streams: [stream], limit: 10 } as const;
    const events = await reader.query({ ...scope, order: 'asc' });
    const byEntity = await reader.query({ ...scope, order: 'asc', entityIds: ['e', 'f'] });
    const entities = await reader.entities({ access: allStreams, stream, limit: 10 });
    const letters = await reader.deadLetters({ access: allStreams, limit: 100 });
    return {
      events: events.items.map(({ offset }) => offset),
      byEntity: byEntity.items.map(({ offset }) => offset),
      entities: entities.items.map(({ entity_id, version }) => [entity_id, version]),
      letters: letters.items.filter((letter) => letter.stream === stream).length,
      total: (await reader.count(scope)).total,
    };
  };

  const before = { 0: 10 };
  const removals: [string, (eraser: EventRemover, stream: string) => Promise<unknown>, object][] = [
    [
      'an erasure by id',
      (eraser, stream) =>
        eraser.eraseEntity({ stream, entityHash: entityHash(stream, 'e'), entityId: 'e', before }),
      {
        events: [2, 20],
        byEntity: [2, 20],
        entities: [
          ['e', 1],
          ['f', 1],
        ],
        letters: 0,
        total: 2,
      },
    ],
    [
      'an erasure by hash',
      (eraser, stream) => eraser.eraseEntity({ stream, entityHash: entityHash(stream, 'e'), before }),
      {
        events: [2, 20],
        byEntity: [2, 20],
        entities: [
          ['e', 1],
          ['f', 1],
        ],
        letters: 0,
        total: 2,
      },
    ],
    [
      'an expiry',
      (eraser, stream) => eraser.expire({ stream, before: t0 + 10 }),
      {
        events: [20],
        byEntity: [20],
        entities: [
          ['e', 2],
          ['f', 1],
        ],
        letters: 0,
        total: 1,
      },
    ],
    [
      'a truncation',
      (eraser, stream) => eraser.truncate({ stream, partition: 0, before: 10 }),
      {
        events: [20],
        byEntity: [20],
        entities: [
          ['e', 2],
          ['f', 1],
        ],
        letters: 0,
        total: 1,
      },
    ],
    [
      'a drop of a stream',
      (eraser, stream) => eraser.dropStream(stream),
      { events: [], byEntity: [], entities: [], letters: 0, total: 0 },
    ],
  ];

  it.each(removals)('is completed by a repeat: %s', async (_what, remove, expected) => {
    const eraser = new ClickHouseEventRemover(connection);
    Object.assign(connection, { statements: 0, breakAt: Infinity });
    await remove(eraser, await given());
    const { statements } = connection;
    expect(statements).toBeGreaterThan(2);
    for (let breakAt = 1; breakAt <= statements; breakAt++) {
      const stream = await given();
      Object.assign(connection, { statements: 0, breakAt });
      await expect(remove(eraser, stream)).rejects.toBeInstanceOf(StoreUnavailableError);
      await remove(eraser, stream);
      expect(await seen(stream), `broken at ${breakAt}`).toEqual(expected);
    }
  });
});
