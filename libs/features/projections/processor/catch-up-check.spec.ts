import { MemoryLog } from '#kafka/memory';
import { beforeEach, expect, it } from 'vitest';
import { revenue, topics } from '../../../../apps/processor/src/processor.fixture.js';
import { CatchUpCheck } from './catch-up-check.js';

const id = 'a'.repeat(24);
const topic = topics.ofStream('orders#1');
let log: MemoryLog;

beforeEach(async () => {
  log = new MemoryLog();
  await log.admin.create(topic, { partitions: 1 });
});

const caughtUp = (starts?: number[]) =>
  new CatchUpCheck(
    { admin: log.admin, topics },
    {
      ...{ id, version: 1, spec: revenue, started_at: '' },
      sources: { orders: { id: 'orders#1', ...(starts && { starts }) } },
    },
  );
const commit = (offset: number) =>
  log.broker.group(topics.projectionGroup(id)).commit({ topic, partition: 0 }, offset);

async function append(count: number): Promise<void> {
  const producer = await log.producer();
  await producer.append(Array.from({ length: count }, () => ({ topic, key: 'k', value: 'v' })));
}

it('is true for an empty log', async () => {
  expect(await caughtUp().is(['orders'])).toBe(true);
  expect(await caughtUp().is([])).toBe(true);
});

it('is false while a partition has records and no committed offset', async () => {
  await append(3);
  expect(await caughtUp().is(['orders'])).toBe(false);
});

it('is true at the end offset of the previous check, although the log has grown since', async () => {
  await append(3);
  const build = caughtUp();
  await build.is(['orders']);
  await append(5);
  commit(2);
  expect(await build.is(['orders'])).toBe(false);
  await append(5);
  commit(8);
  expect(await build.is(['orders'])).toBe(true);
});

it('is true for a generation that starts from now and has no later records', async () => {
  await append(3);
  expect(await caughtUp([3]).is(['orders'])).toBe(true);
  expect(await caughtUp([2]).is(['orders'])).toBe(false);
});

it('is false while events that retention deleted are not folded from the store', async () => {
  await append(3);
  log.topics.get(topic)!.truncate(0, 3);
  expect(await caughtUp().is(['orders'])).toBe(false);
  commit(3);
  expect(await caughtUp().is(['orders'])).toBe(true);
});
