import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LogUnderTest } from './log-under-test.js';
import { RecordingConsumer, until } from './recording-consumer.js';

/** Defines the specs of consumers that read the partitions of their topics alone, without joining a group. */
export function describeStandaloneConsumers(contract: LogUnderTest): void {
  const standalone = (group: string, behaviour: ConstructorParameters<typeof RecordingConsumer>[2] = {}) =>
    new RecordingConsumer(contract.log, group, { ...behaviour, standalone: true });
  const write = (topic: string, from: number, to: number) =>
    contract.producer.append(
      contract.numbered(topic, from, to).map((record) => ({ ...record, partition: 0 })),
    );

  describe('a standalone consumer', () => {
    it('reads all partitions from the committed offsets of a group, beside its members', async () => {
      const topic = await contract.newTopic(3);
      const group = randomUUID();
      await write(topic, 0, 4);
      const member = new RecordingConsumer(contract.log, group);
      await member.consumer.subscribe([topic]);
      await until(() => member.records.length === 4, 'the records of the member');
      expect(await member.consumer.commit(topic, 0, 3)).toBe(true);
      const readers = [standalone(group), standalone(group)];
      for (const { consumer } of readers) await consumer.subscribe([topic]);
      await until(() => readers.every(({ assignments }) => assignments.length === 3), 'all partitions');
      await write(topic, 4, 6);
      await until(() => readers.every(({ records }) => records.length === 3), 'the records of both');
      for (const reader of readers) {
        expect(reader.values()).toEqual(['v3', 'v4', 'v5']);
        const positions = reader.assignments.map(({ partition, position }) => [partition, position]);
        expect(positions.sort()).toEqual([
          [0, 3],
          [1, 0],
          [2, 0],
        ]);
        await reader.consumer.close();
      }
      await until(() => member.records.length === 6, 'the later records of the member');
      expect(member.revoked).toEqual([]);
      await member.consumer.close();
    });

    it('changes no committed offset', async () => {
      const topic = await contract.newTopic(1);
      const group = randomUUID();
      await write(topic, 0, 2);
      const reader = standalone(group, {
        onBatch: ({ next }, consumer) => consumer.commit(topic, 0, next),
      });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length === 2, 'the records');
      await reader.consumer.close();
      expect(await contract.log.admin.committed(group, topic)).toEqual(new Map());
      expect(reader.crashes).toEqual([]);
    });

    it('revokes the partitions of a topic that is unsubscribed, and waits for one that does not exist yet', async () => {
      const [topic, later] = [await contract.newTopic(2), contract.nextName()];
      const reader = standalone(randomUUID());
      await reader.consumer.subscribe([topic, later]);
      await until(() => reader.assignments.length === 2, 'the partitions of the topic');
      await reader.consumer.subscribe([later]);
      await until(() => reader.revoked.length === 2, 'the revocations');
      await contract.log.admin.create(later, { partitions: 1 });
      await write(later, 0, 2);
      await until(() => reader.records.length === 2, 'the records of the later topic');
      await reader.consumer.close();
    });

    it('reads a partition again from the position that a reassignment returns', async () => {
      const topic = await contract.newTopic(1);
      await write(topic, 0, 3);
      const reader = standalone(randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length === 3, 'the records');
      reader.consumer.reassign(topic, 0);
      await until(() => reader.records.length === 6, 'the records again');
      expect(reader.overlaps).toEqual([]);
      await reader.consumer.close();
    });
  });
}
