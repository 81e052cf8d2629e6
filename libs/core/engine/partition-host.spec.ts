import { beforeEach, expect, it, vi } from 'vitest';
import {
  partitionKey,
  unknownEpoch,
  UnknownTopicError,
  type NewlyAssignedPartition,
  type Consumer,
  type RecordBatch,
} from '#kafka';
import { IdWindow, IdWindowLostError } from '#dataflow';
import { createLogger } from '#telemetry';
import type { OwnedPartition } from './owned-partition.js';
import { PartitionTaskHost } from './partition-host.js';
import { FencedError, type PartitionTask } from './partition-task.js';
import { StalledConsumerDetector } from './progress.js';
import { KafkaOrClickHouseRetrier } from './retry.js';

const topic = 'orders';
let committed: number[];
let reassigned: string[];
let failures: unknown[];
let steps: string[];
/** Result of `open`. */
let opened: (partition: OwnedPartition) => Promise<PartitionTask | 'not-mine'>;
let host: PartitionTaskHost<PartitionTask>;

const logger = createLogger({ name: 'test', level: 'silent' });

const assignment = (more: Partial<NewlyAssignedPartition> = {}): NewlyAssignedPartition => ({
  ...{ topic, partition: 0, position: 10, beginning: 0 },
  offsetAt: async (time) => (time > 7 ? 20 : 0),
  timestampAtPosition: async () => 5,
  epochBefore: () => unknownEpoch,
  epochStartIn: () => undefined,
  lostBefore: async () => undefined,
  ...more,
});
const batch = (offset: number): RecordBatch => ({
  ...{ topic, partition: 0, bytes: 0, next: offset + 1, highWatermark: 20 },
  records: [{ topic, partition: 0, offset, key: null, value: null, timestamp: 7, headers: {} }],
});
const task = (partition: OwnedPartition, more: Partial<PartitionTask> = {}): PartitionTask => ({
  ...{ partition, start: 10, from: 10 },
  take: async ({ next }) => void steps.push(`take ${next}`),
  close: () => void steps.push('close'),
  ...more,
});
/** Returns whether the promise is still pending. */
async function isHeld(work: Promise<unknown>): Promise<boolean> {
  let held = true;
  void work.then(() => (held = false));
  await new Promise((resolve) => setTimeout(resolve, 5));
  return held;
}

beforeEach(() => {
  [committed, reassigned, failures, steps] = [[], [], [], []];
  opened = async (partition) => task(partition);
  const consumer: Consumer = {
    joined: true,
    fetchNow: () => void steps.push('fetch now'),
    subscribe: async (topics) => void steps.push(`subscribe ${topics.join()}`),
    reassign: (name, partition) => void reassigned.push(`${name}/${partition}`),
    commit: async (_topic, _partition, next) => committed.push(next) > 0,
    close: async () => void steps.push('left'),
  };
  host = new PartitionTaskHost({
    ...{ name: 'orders', group: 'g', log: { consumer: () => consumer }, now: () => 0 },
    logger,
    retry: new KafkaOrClickHouseRetrier({ logger }),
    progress: new StalledConsumerDetector(),
    tasks: { open: (partition) => opened(partition) },
    checkpointer: { drop: () => steps.push('drop'), flush: async () => void steps.push('flush') },
    onFailure: (error) => failures.push(error),
  });
});

it('reads a partition from the start of its task, and first commits records that are already processed', async () => {
  opened = async (partition) => task(partition, { start: 4, from: 12 });
  expect(await host.assigned(assignment())).toBe(4);
  await host.batch(batch(10));
  expect([committed, steps]).toEqual([[12], ['take 11']]);
  expect([...host].map(({ partition }) => [partition.end, partition.handledUntil])).toEqual([[20, 5]]);
});

it("warms up the task's window before the first batch, once", async () => {
  const window = new IdWindow({ records: 100, milliseconds: 1000 });
  const startAt = vi.spyOn(window, 'startAt');
  opened = async (partition) => task(partition, { window });
  await host.assigned(assignment());
  for (const offset of [10, 11]) await host.batch(batch(offset));
  expect(startAt.mock.calls).toEqual([[7]]);
});

it('sets the log time of the window only when the task is ready for its first batch', async () => {
  const window = new IdWindow({ records: 100, milliseconds: 1000 });
  const startAt = vi.spyOn(window, 'startAt');
  let filled: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (filled = resolve));
  opened = async (partition) => task(partition, { window, ready });
  await host.assigned(assignment());
  const taking = host.batch(batch(10));
  expect([await isHeld(taking), startAt.mock.calls]).toEqual([true, []]);
  filled();
  await taking;
  expect([startAt.mock.calls, steps]).toEqual([[[7]], ['take 11']]);
});

it('reassigns a partition rather than reading far below the first offset of its task', async () => {
  const window = new IdWindow({ records: 10, milliseconds: 1000 });
  opened = async (partition) => task(partition, { window, from: 1000 });
  await host.assigned(assignment());
  const taking = host.batch(batch(10));
  expect([await isHeld(taking), steps]).toEqual([true, []]);
  await vi.waitFor(() => expect(reassigned).toEqual([partitionKey(assignment())]));
  host.revoked(assignment());
  await taking;
});

it.each([
  ['that has no task now', 'not-mine', undefined],
  ['that another process has taken over', 'fenced', undefined],
  ['whose id window has forgotten the decisions that it needs', 'lost', undefined],
  ['whose task fails', 'fails', 'a bug'],
])('does not process a partition %s', async (_, kind, failure) => {
  const errors = { fenced: new FencedError('ahead'), lost: new IdWindowLostError('forgotten') };
  const error = errors[kind as keyof typeof errors] ?? new Error('a bug');
  opened = async (partition) =>
    kind === 'not-mine' ? 'not-mine' : task(partition, { take: () => Promise.reject(error) });
  await host.assigned(assignment());
  const taking = host.batch(batch(10));
  expect(await isHeld(taking)).toBe(true);
  expect(failures.map((one) => (one as Error).message)).toEqual(failure === undefined ? [] : [failure]);
  if (failure === undefined) await vi.waitFor(() => expect(reassigned).toEqual([partitionKey(assignment())]));
  host.revoked(assignment());
  await taking;
});

it('reassigns a partition whose topic is missing', async () => {
  opened = () => Promise.reject(new UnknownTopicError(topic));
  expect(await host.assigned(assignment())).toBe(10);
  await vi.waitFor(() => expect(reassigned).toEqual([partitionKey(assignment())]));
  expect(failures).toEqual([]);
});

it('closes a task whose partition is revoked while the task opens', async () => {
  let open = (): void => undefined;
  opened = async (partition) => {
    await new Promise<void>((resolve) => (open = resolve));
    return task(partition);
  };
  const assigned = host.assigned(assignment());
  await new Promise(setImmediate);
  host.revoked(assignment());
  open();
  expect(await assigned).toBe(10);
  expect([[...host], steps]).toEqual([[], ['close']]);
});

it('finishes the current batch, saves, and leaves the group without taking another batch', async () => {
  let finish = (): void => undefined;
  opened = async (partition) =>
    task(partition, { take: () => new Promise<void>((resolve) => (finish = resolve)) });
  await host.assigned(assignment());
  const taking = host.batch(batch(10));
  await new Promise(setImmediate);
  const stopped = host.stop(new Promise(() => undefined));
  expect(await isHeld(stopped)).toBe(true);
  finish();
  await stopped;
  await taking;
  await host.subscribe(['late']);
  expect(steps).toEqual(['flush', 'drop', 'close', 'left']);
});

it('leaves the group if changes cannot be saved in time', async () => {
  opened = async (partition) => task(partition, { take: () => new Promise(() => undefined) });
  await host.assigned(assignment());
  void host.batch(batch(10));
  await host.stop(Promise.resolve());
  expect(steps).toEqual(['drop', 'close', 'left']);
});

it('subscribes again only if the topics have changed', async () => {
  await host.subscribe(['b', 'a']);
  await host.subscribe(['a', 'b']);
  expect(steps).toEqual(['subscribe a,b']);
});
