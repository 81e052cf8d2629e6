import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RecordingConsumer, until } from './recording-consumer.js';
import type { LogUnderTest } from './log-under-test.js';

/** Defines the specs of a single consumer: positions, redelivery, back-pressure, closing. */
export function describeConsuming(contract: LogUnderTest): void {
  describe('consuming', () => {
    it('receives its assignments first, and reads from the beginning', async () => {
      const topic = await contract.newTopic(2);
      await contract.producer.append(contract.numbered(topic, 0, 20));
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 20, 'all records');
      expect(reader.assignments.map((a) => [a.topic, a.position, a.beginning])).toEqual([
        [topic, 0, 0],
        [topic, 0, 0],
      ]);
      expect(reader.crashes).toEqual([]);
      await reader.consumer.close();
      expect(reader.revoked.sort()).toEqual([`${topic}/0`, `${topic}/1`]);
    });

    it('reads records that are appended later', async () => {
      const topic = await contract.newTopic();
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.assignments.length === 1, 'the assignment');
      for (let i = 0; i < 3; i++) {
        await contract.producer.append(contract.numbered(topic, i, i + 1));
        await until(() => reader.records.length === i + 1, `record ${i}`);
      }
      expect(reader.values()).toEqual(['v0', 'v1', 'v2']);
      await reader.consumer.close();
    });

    it('delivers uncommitted records again', async () => {
      const topic = await contract.newTopic();
      const group = randomUUID();
      await contract.producer.append(contract.numbered(topic, 0, 5));
      const first = new RecordingConsumer(contract.log, group);
      await first.consumer.subscribe([topic]);
      await until(() => first.records.length >= 5, 'all records');
      await first.consumer.close();
      const second = new RecordingConsumer(contract.log, group);
      await second.consumer.subscribe([topic]);
      await until(() => second.records.length >= 5, 'all records again');
      expect(second.values()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
      await second.consumer.close();
    });

    it('continues at the committed offset', async () => {
      const topic = await contract.newTopic();
      const group = randomUUID();
      await contract.producer.append(contract.numbered(topic, 0, 5));
      const first = new RecordingConsumer(contract.log, group);
      await first.consumer.subscribe([topic]);
      await until(() => first.records.length >= 5, 'all records');
      expect(await first.consumer.commit(topic, 0, 3)).toBe(true);
      expect(await contract.log.admin.committed(group, topic)).toEqual(new Map([[0, 3]]));
      const other = await contract.newTopic();
      const asked = new Map([topic, other, contract.nextName()].map((name) => [name, 2]));
      const known = await contract.log.admin.committedIn(group, asked);
      expect(known).toEqual(new Map([[topic, new Map([[0, 3]])]]));
      await first.consumer.close();
      expect(await first.consumer.commit(topic, 0, 4)).toBe(false);
      const second = new RecordingConsumer(contract.log, group);
      await second.consumer.subscribe([topic]);
      await until(() => second.records.length >= 2, 'the rest');
      expect(second.assignments[0]?.position).toBe(3);
      expect(second.values()).toEqual(['v3', 'v4']);
      await second.consumer.close();
    });

    it('returns no committed offset for a group that has none', async () => {
      const topic = await contract.newTopic();
      expect(await contract.log.admin.committed(randomUUID(), topic)).toEqual(new Map());
    });

    it('reads committed records again if its handler returns an earlier offset, even without new records', async () => {
      const topic = await contract.newTopic();
      const group = randomUUID();
      await contract.producer.append(contract.numbered(topic, 0, 6));
      const first = new RecordingConsumer(contract.log, group);
      await first.consumer.subscribe([topic]);
      await until(() => first.records.length >= 6, 'all records');
      await first.consumer.commit(topic, 0, 6);
      await first.consumer.close();
      const second = new RecordingConsumer(contract.log, group, { from: ({ position }) => position - 4 });
      await second.consumer.subscribe([topic]);
      await until(() => second.records.length >= 4, 'the records before the committed offset');
      expect(second.values()).toEqual(['v2', 'v3', 'v4', 'v5']);
      await second.consumer.close();
    });

    it('finds offsets by timestamp for warm-up', async () => {
      const topic = await contract.newTopic();
      const group = randomUUID();
      await contract.producer.append(contract.numbered(topic, 0, 3));
      await new Promise((resolve) => setTimeout(resolve, 30));
      const between = Date.now();
      await contract.producer.append(contract.numbered(topic, 3, 5));
      const found: (number | undefined)[] = [];
      const reader = new RecordingConsumer(contract.log, group, {
        from: async (assignment) => {
          found.push(await assignment.offsetAt(between));
          found.push(await assignment.offsetAt(between + 3_600_000));
          found.push(await assignment.offsetAt(-1), await assignment.offsetAt(-2));
          found.push(await assignment.timestampAtPosition());
          return assignment.position;
        },
      });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 5, 'all records');
      expect(found).toEqual([3, 5, 0, 0, reader.records[0]?.timestamp]);
      await reader.consumer.close();
    });

    it('pauses a partition, and no other one, while its batch is processed', async () => {
      const topic = await contract.newTopic(2);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const reader = new RecordingConsumer(contract.log, randomUUID(), {
        onBatch: ({ partition }) => (partition === 0 ? held : Promise.resolve()),
      });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.assignments.length === 2, 'both partitions');
      const write = async (): Promise<void> =>
        void (await contract.producer.append(contract.numbered(topic, 0, 5)));
      await write();
      const of = (partition: number): number =>
        reader.records.filter((r) => r.partition === partition).length;
      await until(() => of(0) > 0 && of(1) > 0, 'a batch of each');
      const [zero, one] = [of(0), of(1)];
      await write();
      await until(() => of(1) > one, 'the other partition continues');
      expect(of(0)).toBe(zero);
      release();
      await until(() => of(0) > zero, 'the partition continues after its batch');
      expect(reader.overlaps).toEqual([]);
      await reader.consumer.close();
    });

    it('waits for running batches when it is closed; they can still commit', async () => {
      const topic = await contract.newTopic();
      const group = randomUUID();
      await contract.producer.append(contract.numbered(topic, 0, 3));
      const commits: boolean[] = [];
      const reader = new RecordingConsumer(contract.log, group, {
        onBatch: async ({ records }, consumer) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          commits.push(await consumer.commit(topic, 0, (records.at(-1)?.offset ?? 0) + 1));
        },
      });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length > 0, 'a batch');
      await reader.consumer.close();
      expect(commits).toEqual([true]);
      expect((await contract.log.admin.committed(group, topic)).get(0)).toBe(reader.records.length);
    });

    it('calls onCrash when its handler fails', async () => {
      const topic = await contract.newTopic();
      await contract.producer.append(contract.numbered(topic, 0, 3));
      const reader = new RecordingConsumer(contract.log, randomUUID(), {
        onBatch: () => Promise.reject(new Error('broken')),
      });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.crashes.length > 0, 'the crash');
      expect(reader.crashes.map(({ message }) => message)).toEqual(['broken']);
      await reader.consumer.close();
    });
  });
}
