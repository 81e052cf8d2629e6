import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { unknownEpoch, type EpochPosition } from '../epoch-position.js';
import type { Log } from '../log.js';
import { RecordingConsumer, until } from './recording-consumer.js';

/** A log whose brokers can lose the end of a partition, as when a single broker loses power. */
export interface LogThatLosesItsEnd {
  readonly log: Log;
  /** The records that the topic has now will survive `lose`. */
  readonly keep: (topic: string) => Promise<void>;
  /** The offsets that groups have committed until now will survive `lose`. */
  readonly keepCommits: () => Promise<void>;
  /** The log loses all records of the topic since `keep`, and works again. */
  readonly lose: (topic: string) => Promise<void>;
}

/**
 * Defines the specs of consumers whose log loses records that they have read (KIP-320).
 * @param isShort Only two of the specs, with a consumer that runs meanwhile and with one that does not. Default: all.
 */
export function describeLostEnds(name: string, open: () => LogThatLosesItsEnd, isShort = false): void {
  let opened: LogThatLosesItsEnd | undefined;
  const given = () => (opened ??= open());

  const values = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, i) => `v${from + i}`);

  async function append(topic: string, texts: readonly string[]): Promise<void> {
    const producer = await given().log.producer();
    await producer.append(texts.map((value) => ({ topic, key: 'k', value })));
    await producer.close();
  }

  /** Returns a topic with ten records that survive and ten that will be lost, which a consumer has read and perhaps committed. */
  async function read({ commits = true } = {}) {
    const { log, keep, keepCommits } = given();
    const [topic, group] = [`lost-${randomUUID()}`, randomUUID()];
    await log.admin.create(topic, { partitions: 1 });
    await append(topic, values(0, 10));
    await keep(topic);
    await append(topic, values(10, 20));
    const reader = new RecordingConsumer(log, group, {
      ...(commits && {
        onBatch: ({ partition, next }, consumer) => consumer.commit(topic, partition, next),
      }),
    });
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length === 20, 'all records');
    if (commits) {
      const committed = async () => (await log.admin.committed(group, topic)).get(0) === 20;
      await until(committed, 'the committed offset');
      await keepCommits();
    }
    return { topic, group, reader };
  }

  const lost = { from: 10, until: 20 };

  describe(`${name} that loses records that a consumer has read`, () => {
    it.each([['fewer', 5] as const, ...(isShort ? [] : [['more', 25] as const])])(
      'when %s records are written at their offsets, tells the running consumer and delivers each of them',
      async (_, count) => {
        const { topic, reader } = await read();
        await given().lose(topic);
        await append(topic, values(100, 100 + count));
        await until(() => reader.records.length >= 20 + count, 'the new records');
        expect(reader.assignments.at(-1)).toMatchObject({ position: 10, lost });
        expect(reader.values().slice(20)).toEqual(values(100, 100 + count));
        expect(reader.records[20]?.offset).toBe(10);
        expect([...reader.crashes, ...reader.overlaps]).toEqual([]);
        await reader.consumer.close();
      },
    );

    it('when records are written at their offsets while no consumer runs, tells the next consumer and delivers each', async () => {
      const { topic, group, reader } = await read();
      await reader.consumer.close();
      await given().lose(topic);
      await append(topic, values(100, 125));
      const next = new RecordingConsumer(given().log, group);
      await next.consumer.subscribe([topic]);
      await until(() => next.records.length === 25, 'the new records');
      expect(next.assignments).toMatchObject([{ position: 10, lost }]);
      expect(next.values()).toEqual(values(100, 125));
      await next.consumer.close();
    });

    it.skipIf(isShort)(
      'when no record is written at their offsets yet, tells the next consumer',
      async () => {
        const { topic, group, reader } = await read();
        await reader.consumer.close();
        await given().lose(topic);
        const next = new RecordingConsumer(given().log, group);
        await next.consumer.subscribe([topic]);
        await until(() => next.assignments.length === 1, 'the assignment');
        expect(next.assignments).toMatchObject([{ position: 10, lost }]);
        await next.consumer.close();
      },
    );

    it.skipIf(isShort)('when the consumer has not committed them, tells it what it has read', async () => {
      const { topic, reader } = await read({ commits: false });
      await given().lose(topic);
      await append(topic, values(100, 125));
      await until(() => reader.values().includes('v124'), 'the new records');
      expect(reader.assignments.at(-1)).toMatchObject({ position: 0, lost });
      await reader.consumer.close();
    });

    it('when no group has committed them, tells whoever has kept the position and its leader epoch', async () => {
      const { topic, reader } = await read({ commits: false });
      const [first] = reader.assignments;
      const epochs = [10, 20, 21].map((offset) => ({ offset, leaderEpoch: first!.epochBefore(offset) }));
      const [kept, read20, unread] = epochs as [EpochPosition, EpochPosition, EpochPosition];
      expect(unread.leaderEpoch).toBe(unknownEpoch);
      expect(await first!.lostBefore(read20)).toBeUndefined();
      await reader.consumer.close();
      await given().lose(topic);
      await append(topic, values(100, 125));
      const next = new RecordingConsumer(given().log, randomUUID());
      await next.consumer.subscribe([topic]);
      await until(() => next.records.length === 35, 'all records');
      const [assignment] = next.assignments;
      expect(assignment!.lost).toBeUndefined();
      expect(await assignment!.lostBefore(kept)).toBeUndefined();
      expect(await assignment!.lostBefore(read20)).toBe(10);
      expect(await assignment!.lostBefore(unread)).toBeUndefined();
      const now = { offset: 35, leaderEpoch: assignment!.epochBefore(35) };
      expect(now.leaderEpoch).toBeGreaterThan(read20.leaderEpoch);
      expect(await assignment!.lostBefore(now)).toBeUndefined();
      await next.consumer.close();
    });

    it.skipIf(isShort)(
      'when a new consumer has committed past the loss, tells nobody of it again',
      async () => {
        const { topic, group, reader } = await read();
        await given().lose(topic);
        await append(topic, values(100, 105));
        await until(() => reader.records.length >= 25, 'the new records');
        const committed = async () => (await given().log.admin.committed(group, topic)).get(0) === 15;
        await until(committed, 'the committed offset');
        await reader.consumer.close();
        const next = new RecordingConsumer(given().log, group);
        await next.consumer.subscribe([topic]);
        await until(() => next.assignments.length === 1, 'the assignment');
        expect(next.assignments[0]).toMatchObject({ position: 15 });
        expect(next.assignments[0]?.lost).toBeUndefined();
        await next.consumer.close();
      },
    );

    it.skipIf(isShort)(
      'when the leader changes and nothing that was read is lost, tells nobody',
      async () => {
        const { topic, group, reader } = await read();
        await given().keep(topic);
        await append(topic, values(20, 30));
        await until(
          async () => (await given().log.admin.committed(group, topic)).get(0) === 30,
          'the next records',
        );
        await given().keep(topic);
        await given().keepCommits();
        await given().lose(topic);
        await append(topic, values(30, 40));
        await until(() => reader.records.length === 40, 'the records of the next leader');
        expect(reader.values()).toEqual(values(0, 40));
        expect(reader.assignments.filter((assignment) => assignment.lost)).toEqual([]);
        await reader.consumer.close();
      },
    );
  });
}
