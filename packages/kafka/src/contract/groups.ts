import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RecordingConsumer, until } from './recording-consumer.js';
import type { LogUnderTest } from './log-under-test.js';

/** Defines the specs of groups with several members, and of topics that are added and removed. */
export function describeGroups(contract: LogUnderTest): void {
  describe('a consumer group', () => {
    it('shares the partitions among its members, and loses no record when a member joins and leaves', async () => {
      const topic = await contract.newTopic(4);
      const group = randomUUID();
      const commitAll = {
        onBatch: async (
          batch: { topic: string; partition: number; records: { offset: number }[] },
          consumer: RecordingConsumer['consumer'],
        ) => consumer.commit(batch.topic, batch.partition, (batch.records.at(-1)?.offset ?? 0) + 1),
      };
      const first = new RecordingConsumer(contract.log, group, commitAll);
      await first.consumer.subscribe([topic]);
      await until(() => first.assignments.length === 4, 'all partitions');
      const write = (from: number, to: number) =>
        contract.producer.append(
          contract.numbered(topic, from, to).map((record, i) => ({ ...record, partition: i % 4 })),
        );
      await write(0, 50);
      const second = new RecordingConsumer(contract.log, group, commitAll);
      await second.consumer.subscribe([topic]);
      await until(() => second.assignments.length >= 2, 'a share for the second');
      await write(50, 100);
      const seen = (): Set<string> => new Set([...first.values(), ...second.values()]);
      await until(() => seen().size === 100, 'every record');
      await until(() => second.records.length > 0, 'some by the second');
      await second.consumer.close();
      await write(100, 150);
      await until(() => seen().size === 150, 'every record after the second has left');
      expect([...first.overlaps, ...second.overlaps, ...first.crashes, ...second.crashes]).toEqual([]);
      await first.consumer.close();
    });

    it('revokes only the partitions that move when a member joins, and none when a member leaves', async () => {
      const topic = await contract.newTopic(4);
      const group = randomUUID();
      const first = new RecordingConsumer(contract.log, group);
      const second = new RecordingConsumer(contract.log, group);
      await first.consumer.subscribe([topic]);
      await until(() => first.assignments.length === 4, 'all partitions');
      await second.consumer.subscribe([topic]);
      await until(() => second.assignments.length === 2, 'half of them for the second');
      expect(first.revoked.sort()).toEqual(second.assignments.map(nameOf).sort());
      await second.consumer.close();
      await until(() => first.assignments.length === 6, 'the partitions of the second member');
      expect(first.assignments.slice(4).map(nameOf).sort()).toEqual(second.revoked.sort());
      expect(first.revoked).toHaveLength(2);
      await first.consumer.close();
    });

    it('assigns a partition to another member only after its running batch is committed', async () => {
      const topic = await contract.newTopic(2);
      const group = randomUUID();
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const commits: boolean[] = [];
      const first = new RecordingConsumer(contract.log, group, {
        onBatch: async ({ partition, next }, consumer) => {
          await held;
          commits.push(await consumer.commit(topic, partition, next));
        },
      });
      await first.consumer.subscribe([topic]);
      await until(() => first.assignments.length === 2, 'both partitions');
      await contract.producer.append(
        [0, 1].map((partition) => ({ topic, key: 'k', value: `of ${partition}`, partition })),
      );
      await until(() => first.records.length === 2, 'a batch of each');
      const second = new RecordingConsumer(contract.log, group);
      await second.consumer.subscribe([topic]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([first.revoked, second.assignments]).toEqual([[], []]);
      release();
      await until(() => second.assignments.length === 1, 'the partition that moves');
      expect(second.assignments[0]?.position).toBe(1);
      expect(commits).toEqual([true, true]);
      expect(first.revoked).toEqual(second.assignments.map(nameOf));
      await Promise.all([first.consumer.close(), second.consumer.close()]);
    });

    it('keeps reading a partition while a topic is added, and accepts the commits of its batches', async () => {
      const topic = await contract.newTopic();
      const added = await contract.newTopic();
      await contract.producer.append(contract.numbered(topic, 0, 3));
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const commits: boolean[] = [];
      const reader = new RecordingConsumer(contract.log, randomUUID(), {
        onBatch: async (batch, consumer) => {
          if (batch.next === 3) await held;
          if (batch.topic === topic) commits.push(await consumer.commit(topic, 0, batch.next));
        },
      });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length === 3, 'the first batch');
      await reader.consumer.subscribe([topic, added]);
      await until(() => reader.assignments.some((a) => a.topic === added), 'the other topic');
      await contract.producer.append(contract.numbered(topic, 3, 5));
      release();
      await until(() => commits.length >= 2, 'both commits');
      expect(new Set(commits)).toEqual(new Set([true]));
      expect(reader.values()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
      expect([reader.revoked, reader.assignments.map(nameOf)]).toEqual([[], [`${topic}/0`, `${added}/0`]]);
      await reader.consumer.close();
    });

    it('keeps reading a partition while another topic is unsubscribed', async () => {
      const [kept, gone] = [await contract.newTopic(), await contract.newTopic()];
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([kept, gone]);
      await until(() => reader.assignments.length === 2, 'both topics');
      await reader.consumer.subscribe([kept]);
      await until(() => reader.revoked.length > 0, 'the revocation of the other topic');
      await contract.producer.append(contract.numbered(kept, 0, 3));
      await until(() => reader.records.length === 3, 'the records that are written after that');
      expect([reader.revoked, reader.assignments.length]).toEqual([[`${gone}/0`], 2]);
      await reader.consumer.close();
    });

    it('never overlaps the calls for a partition that is assigned again while its batch is still processed', async () => {
      const topic = await contract.newTopic();
      const other = await contract.newTopic();
      await contract.producer.append(contract.numbered(topic, 0, 3));
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const reader = new RecordingConsumer(contract.log, randomUUID(), { onBatch: () => held });
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length === 3, 'the first batch');
      await reader.consumer.subscribe([other]);
      await until(() => reader.assignments.some((a) => a.topic === other), 'the other topic');
      await until(() => reader.revoked.includes(`${topic}/0`), 'the revocation of the first topic');
      await reader.consumer.subscribe([topic, other]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(reader.assignments.filter((a) => a.topic === topic)).toHaveLength(1);
      release();
      await until(() => reader.records.length === 6, 'the batch is delivered again');
      expect(reader.overlaps).toEqual([]);
      await reader.consumer.close();
    });

    it('reads a topic that is subscribed later', async () => {
      const [a, b] = [await contract.newTopic(), await contract.newTopic()];
      await contract.producer.append([...contract.numbered(a, 0, 3), ...contract.numbered(b, 3, 6)]);
      const group = randomUUID();
      const reader = new RecordingConsumer(contract.log, group);
      await reader.consumer.subscribe([a]);
      await until(() => reader.records.length >= 3, 'the first topic');
      await reader.consumer.commit(a, 0, 3);
      await reader.consumer.subscribe([a, b]);
      await until(() => reader.values().includes('v5'), 'the second topic');
      expect(reader.values()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5']);
      await reader.consumer.close();
    });

    it('waits for a topic that does not exist yet, and reads the others meanwhile', async () => {
      const [here, later] = [await contract.newTopic(), contract.nextName()];
      await contract.producer.append(contract.numbered(here, 0, 2));
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([later, here]);
      await until(() => reader.records.length >= 2, 'the topic that exists');
      await contract.log.admin.create(later, { partitions: 1 });
      await contract.producer.append(contract.numbered(later, 2, 4));
      await until(() => reader.values().includes('v3'), 'the topic that was created');
      expect(reader.crashes).toEqual([]);
      await reader.consumer.close();
    });

    it('assigns the partitions of a topic to a consumer again on request, even while they are being assigned', async () => {
      const [topic, other] = [await contract.newTopic(2), await contract.newTopic()];
      const commitAll = {
        onBatch: async (
          batch: { topic: string; partition: number; next: number },
          consumer: RecordingConsumer['consumer'],
        ) => consumer.commit(batch.topic, batch.partition, batch.next),
        from: ({ position }: { position: number }) =>
          new Promise<number>((resolve) => setTimeout(() => resolve(position), 20)),
      };
      const reader = new RecordingConsumer(contract.log, randomUUID(), commitAll);
      const given = () => reader.assignments.filter((a) => a.topic === topic).length;
      await reader.consumer.subscribe([topic, other]);
      await until(() => given() === 2, 'the partitions');
      reader.consumer.reassign(topic);
      await until(() => given() === 4, 'the partitions again');
      await contract.producer.append([
        ...contract.numbered(topic, 0, 20),
        ...contract.numbered(other, 20, 21),
      ]);
      await until(() => new Set(reader.values()).size === 21, 'every record');
      reader.consumer.reassign(topic);
      await until(() => given() === 6, 'the partitions once more');
      await contract.producer.append(contract.numbered(topic, 21, 40));
      await until(() => new Set(reader.values()).size === 40, 'the later records');
      expect(reader.revoked.filter((place) => place.startsWith(`${topic}/`))).toHaveLength(4);
      reader.consumer.reassign(topic, 1);
      await until(() => given() === 7, 'one partition again');
      expect(reader.revoked.filter((place) => place === `${topic}/1`)).toHaveLength(3);
      expect(reader.revoked.filter((place) => place === `${topic}/0`)).toHaveLength(2);
      expect(reader.revoked.some((place) => place.startsWith(`${other}/`))).toBe(false);
      expect([...reader.overlaps, ...reader.crashes]).toEqual([]);
      await reader.consumer.close();
    });

    it('is removed with its committed offsets once it has no members', async () => {
      const topic = await contract.newTopic(1);
      const group = randomUUID();
      const { admin } = contract.log;
      const reader = new RecordingConsumer(contract.log, group);
      await reader.consumer.subscribe([topic]);
      await until(() => reader.assignments.length === 1, 'the partition');
      await contract.producer.append(contract.numbered(topic, 0, 3));
      await until(() => reader.records.length === 3, 'the records');
      await until(() => reader.consumer.commit(topic, 0, 3), 'a commit');
      expect(await admin.removeGroup(group)).toBe(false);
      await reader.consumer.close();
      await until(() => admin.removeGroup(group), 'the removal of the group');
      expect(await admin.committed(group, topic)).toEqual(new Map());
      expect(await admin.removeGroup(group)).toBe(true);
    });

    it('continues when one of its topics is removed', async () => {
      const [kept, gone] = [await contract.newTopic(), await contract.newTopic()];
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([kept, gone]);
      await until(() => reader.assignments.length >= 2, 'both topics');
      await contract.log.admin.remove(gone);
      await contract.producer.append(contract.numbered(kept, 0, 3));
      await until(() => reader.values().includes('v2'), 'the remaining topic');
      expect(reader.crashes).toEqual([]);
      await reader.consumer.close();
    });
  });
}

function nameOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}
