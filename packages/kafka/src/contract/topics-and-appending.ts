import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UnknownTopicError } from '../errors.js';
import { headerOf } from '../kafka/consume/record-decoder.js';
import { RecordingConsumer, until } from './recording-consumer.js';
import type { LogUnderTest } from './log-under-test.js';

/** Defines the specs of topic administration and of appending. */
export function describeTopicsAndAppending(contract: LogUnderTest): void {
  describe('topics', () => {
    it('creates a topic once and returns its number of partitions', async () => {
      const topic = contract.nextName();
      expect(await contract.log.admin.partitions(topic)).toBeUndefined();
      expect(await contract.log.admin.create(topic, { partitions: 3 })).toBe(true);
      expect(await contract.log.admin.create(topic, { partitions: 5 })).toBe(false);
      expect(await contract.log.admin.partitions(topic)).toBe(3);
      expect(await contract.log.admin.list(contract.prefix)).toContain(topic);
      await contract.log.admin.ping();
    });

    it('rejects a topic whose name collides with another one', async () => {
      const topic = `${await contract.newTopic()}.a`;
      await contract.log.admin.create(topic, { partitions: 1 });
      await expect(
        contract.log.admin.create(topic.replace(/\.a$/, '_a'), { partitions: 1 }),
      ).rejects.toMatchObject({
        name: 'TopicRejectedError',
        reason: 'name',
      });
    });

    it('changes settings of a topic and restores their defaults', async () => {
      const topic = await contract.newTopic();
      await contract.log.admin.configure(topic, { 'retention.ms': '3600000', 'segment.ms': '60000' });
      await contract.log.admin.configure(topic, { 'retention.ms': null });
      await contract.producer.append(contract.numbered(topic, 0, 3));
    });

    it('rejects a change of the settings of a topic that does not exist', async () => {
      const change = contract.log.admin.configure(contract.nextName(), { 'retention.ms': '3600000' });
      await expect(change).rejects.toThrow(UnknownTopicError);
    });

    it('removes a topic', async () => {
      const topic = await contract.newTopic();
      await contract.log.admin.remove(topic);
      await until(
        async () => (await contract.log.admin.partitions(topic)) === undefined,
        'the removal of the topic',
      );
      await contract.log.admin.remove(topic);
    });
  });

  describe('appending', () => {
    it('writes to an explicit partition regardless of the key', async () => {
      const topic = await contract.newTopic(4);
      const records = [2, 0, 3, 1].map((partition) => ({ topic, key: 'k', value: 'v', partition }));
      const positions = await contract.producer.append(records);
      expect(positions.map(({ partition }) => partition)).toEqual([2, 0, 3, 1]);
    });

    it('returns the position of each record, in the given order', async () => {
      const topic = await contract.newTopic(4);
      const positions = await contract.producer.append(contract.numbered(topic, 0, 100));
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 100, 'all records');
      const at = new Map(reader.records.map((r) => [`${r.partition}/${r.offset}`, r.value?.toString()]));
      expect(positions.map(({ partition, offset }) => at.get(`${partition}/${offset}`))).toEqual(
        contract.numbered(topic, 0, 100).map(({ value }) => value),
      );
      await reader.consumer.close();
    });

    it('keeps the order of each key across overlapping calls', async () => {
      const topic = await contract.newTopic(3);
      const calls = Array.from({ length: 40 }, (_, i) =>
        contract.producer.append(contract.numbered(topic, i * 25, i * 25 + 25)),
      );
      await Promise.all(calls);
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 1000, 'all records');
      for (let key = 0; key < 5; key++) {
        const own = reader.records
          .filter((r) => r.key?.toString() === `k${key}`)
          .map((r) => r.value?.toString());
        expect(own).toEqual(
          contract
            .numbered(topic, 0, 1000)
            .filter((r) => r.key === `k${key}`)
            .map((r) => r.value),
        );
      }
      await reader.consumer.close();
    });

    it('deletes the records before an offset, and keeps the others at their offsets', async () => {
      const topic = await contract.newTopic();
      const { admin } = contract.log;
      await contract.producer.append(contract.numbered(topic, 0, 5));
      for (const before of [3, 2]) await admin.deleteRecords({ topic, partition: 0 }, before);
      expect(await admin.offsets(topic)).toEqual([{ partition: 0, beginning: 3, end: 5 }]);
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 2, 'the other records');
      expect(reader.records.map(({ offset }) => offset)).toEqual([3, 4]);
      await reader.consumer.close();
      const missing = { topic: contract.nextName(), partition: 0 };
      await expect(admin.deleteRecords(missing, 1)).rejects.toBeInstanceOf(UnknownTopicError);
    });

    it('writes the records of an atomic append at contiguous offsets, also among other appends', async () => {
      const topic = await contract.newTopic();
      const appends = Array.from({ length: 40 }, (_, i) =>
        contract.producer.append(contract.numbered(topic, i * 25, i * 25 + 25), { atomic: i % 2 === 0 }),
      );
      for (const positions of (await Promise.all(appends)).filter((_, i) => i % 2 === 0)) {
        const [first] = positions;
        expect(positions.map(({ offset }) => offset - first!.offset)).toEqual([...positions.keys()]);
      }
    });

    it('returns keys, values, headers and timestamps unchanged', async () => {
      const topic = await contract.newTopic();
      const before = Date.now();
      const value = '{"a":"žluťoučký 🐎","n":9007199254740993,"e":""}';
      await contract.producer.append([
        { topic, key: 'ключ', value, headers: { traceparent: '00-ab', 'x-request-id': 'ř' } },
        { topic, key: 'plain', value: '' },
      ]);
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 2, 'both records');
      const [first, second] = reader.records;
      expect(first?.key?.toString()).toBe('ключ');
      expect(first?.value?.toString()).toBe(value);
      expect(first?.headers['traceparent']?.toString()).toBe('00-ab');
      expect(first?.headers['x-request-id']?.toString()).toBe('ř');
      expect(headerOf(first!, 'traceparent')?.toString()).toBe('00-ab');
      expect(headerOf(first!, 'x-request-id')?.toString()).toBe('ř');
      expect(headerOf(second!, 'traceparent')).toBeUndefined();
      expect(first?.timestamp).toBeGreaterThanOrEqual(before - 1000);
      expect(second?.value?.length).toBe(0);
      expect(second?.headers).toEqual({});
      await reader.consumer.close();
    });

    it('writes tombstones: records with a key and a null value', async () => {
      const topic = await contract.newTopic();
      const gone = { topic, key: 'k', value: null };
      const positions = await contract.producer.append([...contract.numbered(topic, 0, 1), gone, gone]);
      expect(positions.map(({ offset }) => offset)).toEqual([0, 1, 2]);
      const reader = new RecordingConsumer(contract.log, randomUUID());
      await reader.consumer.subscribe([topic]);
      await until(() => reader.records.length >= 3, 'all records');
      expect(reader.records.map(({ value }) => value)).toEqual([Buffer.from('v0'), null, null]);
      expect(reader.records[1]?.key?.toString()).toBe('k');
      await reader.consumer.close();
    });

    it('writes to several topics in one call, including a record of one megabyte', async () => {
      const [a, b] = [contract.nextName(), await contract.newTopic(2)];
      await contract.log.admin.create(a, {
        partitions: 2,
        config: { 'max.message.bytes': String(2 * 1024 * 1024) },
      });
      const big = 'x'.repeat(1024 * 1024 + 500);
      const positions = await contract.producer.append([
        { topic: a, key: '1', value: big },
        { topic: b, key: '1', value: 'small' },
        { topic: a, key: '1', value: big },
      ]);
      expect(positions[0]?.offset).toBe(0);
      expect(positions[2]?.offset).toBe(1);
      const ends = (await contract.log.admin.offsets(a)).reduce((sum, { end }) => sum + end, 0);
      expect(ends).toBe(2);
    });

    it('rejects a record that is too large for its topic, and writes those of other appends', async () => {
      const topic = contract.nextName();
      await contract.log.admin.create(topic, { partitions: 3, config: { 'max.message.bytes': '1500000' } });
      const append = (value: string, partition = 2) =>
        contract.producer.append([{ topic, key: 'k', value, partition }]);
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          i % 3 === 1
            ? append('x'.repeat(1_600_000), 0).catch((error: Error) => error.name)
            : append(`small ${i}`).then(() => 'written'),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'RecordTooLargeError')).toHaveLength(4);
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(8);
      expect((await contract.log.admin.offsets(topic)).map(({ end }) => end)).toEqual([0, 0, 8]);
    });

    it('tells no append of small records that they are too large', async () => {
      const topic = contract.nextName();
      await contract.log.admin.create(topic, { partitions: 3, config: { 'max.message.bytes': '300000' } });
      const append = (value: string, partition: number) =>
        contract.producer
          .append([{ topic, key: 'k', value, partition }])
          .then(() => 'written')
          .catch((error: Error) => error.name);
      const outcomes = await Promise.all([
        append('x'.repeat(400_000), 0),
        ...Array.from({ length: 6 }, () => append('small', 2)),
      ]);
      expect(outcomes[0]).toMatch(/RecordTooLargeError|LogUnavailableError/);
      expect(outcomes.slice(1)).not.toContain('RecordTooLargeError');
    });

    it('returns the first offset of each partition at or after a timestamp', async () => {
      const topic = await contract.newTopic(2);
      const of = (partition: number, value: string) => ({ topic, key: 'k', partition, value });
      await contract.producer.append([of(0, 'a'), of(0, 'b')]);
      await sleep(30);
      const between = Date.now();
      await contract.producer.append([of(0, 'c')]);
      const { admin } = contract.log;
      expect([...(await admin.offsetsAt(topic, between))].sort()).toEqual([
        [0, 2],
        [1, 0],
      ]);
      expect((await admin.offsetsAt(topic, 0)).get(0)).toBe(0);
      expect((await admin.offsetsAt(topic, between + 3_600_000)).get(0)).toBe(3);
      await expect(admin.offsetsAt(contract.nextName(), between)).rejects.toThrow(UnknownTopicError);
    });

    it('returns the offsets of many topics and omits topics that do not exist', async () => {
      const [a, b] = [await contract.newTopic(2), await contract.newTopic(1)];
      const missing = contract.nextName();
      await contract.producer.append(
        [0, 0, 1].map((partition) => ({ topic: a, key: 'k', value: 'v', partition })),
      );
      const offsets = await contract.log.admin.offsetsIn([a, missing, b]);
      expect(Object.fromEntries(offsets)).toEqual({
        [a]: [
          { partition: 0, beginning: 0, end: 2 },
          { partition: 1, beginning: 0, end: 1 },
        ],
        [b]: [{ partition: 0, beginning: 0, end: 0 }],
      });
      expect((await contract.log.admin.offsetsIn([])).size).toBe(0);
    });

    it('returns the bytes of many topics and omits topics that do not exist', async () => {
      const [a, b] = [await contract.newTopic(2), await contract.newTopic(1)];
      const value = 'v'.repeat(1000);
      await contract.producer.append(
        [0, 0, 1].map((partition) => ({ topic: a, key: 'k', value, partition })),
      );
      const bytes = await contract.log.admin.bytesIn([a, contract.nextName(), b]);
      expect([...bytes.keys()].sort()).toEqual([a, b].sort());
      expect(bytes.get(a)).toBeGreaterThanOrEqual(3_000);
      expect(bytes.get(a)).toBeLessThan(4_000);
      expect(bytes.get(b)).toBe(0);
      expect((await contract.log.admin.bytesIn([])).size).toBe(0);
    });

    it('rejects an append to a topic that does not exist, and writes nothing', async () => {
      const topic = await contract.newTopic();
      const missing = contract.nextName();
      const call = contract.producer.append([
        { topic, key: 'a', value: 'a' },
        { topic: missing, key: 'a', value: 'a' },
      ]);
      await expect(call).rejects.toThrow(UnknownTopicError);
      expect(await contract.log.admin.offsets(topic)).toEqual([{ partition: 0, beginning: 0, end: 0 }]);
      await contract.producer.append([{ topic, key: 'a', value: 'b' }]);
    });

    it('rejects appends to a removed topic, and continues to write to others', async () => {
      const [gone, kept] = [await contract.newTopic(), await contract.newTopic()];
      await contract.producer.append([...contract.numbered(gone, 0, 1), ...contract.numbered(kept, 0, 1)]);
      await contract.log.admin.remove(gone);
      await until(
        async () => (await contract.log.admin.partitions(gone)) === undefined,
        'the removal of the topic',
      );
      await expect(contract.producer.append(contract.numbered(gone, 1, 2))).rejects.toThrow(
        UnknownTopicError,
      );
      const [position] = await contract.producer.append(contract.numbered(kept, 1, 2));
      expect(position?.offset).toBe(1);
    });

    it('has no bytes in flight once everything is acknowledged', async () => {
      const topic = await contract.newTopic();
      const call = contract.producer.append(contract.numbered(topic, 0, 10));
      expect(contract.producer.bytesInFlight).toBeGreaterThan(0);
      await call;
      expect(contract.producer.bytesInFlight).toBe(0);
      expect(await contract.producer.append([])).toEqual([]);
    });
  });
}
