import { expect, it } from 'vitest';
import type { ProducerRecord } from '#kafka';
import { WatermarkBroadcaster } from './watermark-broadcaster.js';
import { readStageRecord } from './stage-record.js';

const to = [{ topic: 't', partitions: 2 }];
const control = { source: 'orders/0', next: 5, watermark: 100, idle: false };

function line() {
  const told: ProducerRecord[] = [];
  const fails = { now: false };
  const append = async (records: readonly ProducerRecord[]): Promise<void> => {
    if (fails.now) throw new Error('away');
    told.push(...records);
  };
  return { told, fails, line: new WatermarkBroadcaster(append, 200) };
}

it('writes readable watermark records to every partition of every stage', async () => {
  const { told, line: one } = line();
  await one.tell(control, to, 0);
  expect(told.map(({ topic, partition }) => [topic, partition])).toEqual([
    ['t', 0],
    ['t', 1],
  ]);
  const record = { ...told[0]!, key: null, value: Buffer.from(told[0]!.value!), headers: {} };
  expect(readStageRecord({ ...record, partition: 0, offset: 0, timestamp: 0 })).toEqual({ control });
});

it('broadcasts changes at most once per interval', async () => {
  const { told, line: one } = line();
  await one.tell(control, to, 0);
  await one.tell({ ...control, next: 6 }, to, 199);
  expect(told).toHaveLength(2);
  await one.tell({ ...control, next: 6 }, to, 200);
  await one.tell({ ...control, next: 6 }, to, 900);
  expect(told).toHaveLength(4);
});

it('broadcasts immediately that a partition is idle, and then at growing intervals', async () => {
  const { told, line: one } = line();
  await one.tell(control, to, 0);
  const count = async (from: number, seconds: number): Promise<number> => {
    const before = told.length;
    for (let ms = from; ms < from + seconds * 1000; ms += 100)
      await one.tell({ ...control, idle: true, watermark: ms }, to, ms);
    return (told.length - before) / 2;
  };
  expect(await count(1, 60)).toBeGreaterThan(50);
  expect(await count(3_600_000, 60)).toBeLessThan(5);
});

it('repeats a failed broadcast, and broadcasts to a new stage', async () => {
  const { told, fails, line: one } = line();
  fails.now = true;
  await expect(one.tell(control, to, 0)).rejects.toThrow('away');
  fails.now = false;
  await one.tell(control, to, 1);
  await one.tell(control, [...to, { topic: 'u', partitions: 1 }], 2);
  expect(told).toHaveLength(5);
});
