import { describe, expect, it } from 'vitest';
import { until } from './recording-consumer.js';
import type { LogUnderTest } from './log-under-test.js';

/** Defines the specs of the global table reader. */
export function describeTables(contract: LogUnderTest): void {
  describe('a global table reader', () => {
    const tableTopic = async (): Promise<string> => {
      const topic = contract.nextName();
      await contract.log.admin.create(topic, { partitions: 1, config: { 'cleanup.policy': 'compact' } });
      return topic;
    };

    it('passes all existing records before `start` resolves, and new records after that', async () => {
      const topic = await tableTopic();
      await contract.producer.append(contract.numbered(topic, 0, 10));
      const seen: string[] = [];
      const reader = contract.log.tableReader(topic, {
        record: ({ value }) => void seen.push(value?.toString() ?? ''),
      });
      await reader.start();
      expect(seen).toHaveLength(10);
      const [position] = await contract.producer.append(contract.numbered(topic, 10, 11));
      await reader.caughtUp(position?.offset ?? 0, 5_000);
      expect(seen).toEqual(contract.numbered(topic, 0, 11).map(({ value }) => value));
      await reader.close();
    });

    it('starts on an empty topic', async () => {
      const topic = await tableTopic();
      const reader = contract.log.tableReader(topic, { record: () => undefined });
      await reader.start();
      await expect(reader.caughtUp(0, 50)).rejects.toThrow();
      await reader.close();
    });

    it('keeps the error that stopped it, and rejects current and later waiters with it', async () => {
      const topic = await tableTopic();
      const broken = new Error('broken');
      const reader = contract.log.tableReader(topic, {
        record: ({ value }) => {
          if (value?.toString() === 'v1') throw broken;
        },
      });
      await reader.start();
      expect(reader.failure).toBeUndefined();
      const waiting = expect(reader.caughtUp(1, 20_000)).rejects.toBe(broken);
      await contract.producer.append(contract.numbered(topic, 0, 3));
      await waiting;
      expect(reader.failure).toBe(broken);
      await expect(reader.caughtUp(0, 20_000)).rejects.toBe(broken);
      await expect(reader.start()).rejects.toBe(broken);
      await reader.close();
      expect(reader.failure).toBe(broken);
    });

    it('reports when the log last responded, from `start` on, even without new records', async () => {
      const topic = await tableTopic();
      const reader = contract.log.tableReader(topic, { record: () => undefined });
      expect(reader.answeredAt).toBeUndefined();
      await reader.start();
      expect(reader.answeredAt).toBeLessThanOrEqual(performance.now());
      const started = performance.now();
      await until(() => (reader.answeredAt ?? 0) > started, 'an answer');
      const first = reader.answeredAt ?? Infinity;
      await until(() => (reader.answeredAt ?? 0) > first, 'another answer');
      expect(reader.answeredAt).toBeLessThanOrEqual(performance.now());
      await reader.close();
    });

    it('waits for a topic that does not exist yet', async () => {
      const topic = contract.nextName();
      const seen: string[] = [];
      const reader = contract.log.tableReader(topic, {
        record: ({ value }) => void seen.push(value?.toString() ?? ''),
      });
      const starting = reader.start();
      await contract.log.admin.create(topic, { partitions: 1 });
      await starting;
      await contract.producer.append(contract.numbered(topic, 0, 1));
      await until(() => seen.length === 1, 'the record');
      await reader.close();
    });
  });
}
