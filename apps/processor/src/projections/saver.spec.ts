import { Retry, type SampledRequest } from '#consuming';
import { createLogger, MemoryTracing } from '#telemetry';
import { beforeEach, expect, it, vi } from 'vitest';
import type { PartitionProjector } from './partition-projector.js';
import { Saver } from './saver.js';

let saves: number[][];
/** Lets the save go on that is under way. */
let goOn: () => void;
let slow: boolean;
let failures: unknown[];
let saver: Saver;
let tracing: MemoryTracing;

function saverWith(intervalMs: number): Saver {
  return new Saver({
    writer: {
      save: async (_rows, progress) => {
        saves.push(progress.map(({ next }) => next));
        if (slow) await new Promise<void>((resolve) => (goOn = resolve));
      },
      appendDeadLetters: async () => undefined,
    },
    retry: new Retry({ logger: createLogger({ name: 'test', level: 'silent' }) }),
    intervalMs,
    most: { keys: 10, weight: 1e6 },
    turns: 2,
    tracing,
    stopped: new AbortController().signal,
    saved: () => undefined,
    onFailure: (error) => failures.push(error),
  });
}

beforeEach(() => {
  [saves, slow, failures] = [[], false, []];
  tracing = new MemoryTracing();
  saver = saverWith(0);
});

/** A partition with so many changed keys, and what ends it. */
function partition(
  keys: number,
  next = 1,
  { isBehind = false, sampled = [] }: { isBehind?: boolean; sampled?: readonly SampledRequest[] } = {},
) {
  const end = new AbortController();
  const part = {
    ended: end.signal,
    unsavedCount: keys,
    unsavedWeight: 0,
    isBehind,
    unsaved: () => {
      part.unsavedCount = 0;
      return { letters: [], rows: [], progress: { next }, name: 'revenue', sampled, saved: () => undefined };
    },
  };
  return { part: part as unknown as PartitionProjector, end };
}

/** Whether somebody has their turn yet. */
async function turnOf(part: PartitionProjector): Promise<{ done?: () => void }> {
  const turn: { done?: () => void } = {};
  void saver.turn(part).then((done) => (turn.done = done));
  await new Promise(setImmediate);
  return turn;
}

it('lets as many fold at a time as there are turns, in their order', async () => {
  const [first, second] = [await turnOf(partition(0).part), await turnOf(partition(0).part)];
  const [third, fourth] = [await turnOf(partition(0).part), await turnOf(partition(0).part)];
  expect([first.done, second.done, third.done]).toEqual([
    expect.any(Function),
    expect.any(Function),
    undefined,
  ]);
  first.done!();
  first.done!();
  await new Promise(setImmediate);
  expect([third.done, fourth.done]).toEqual([expect.any(Function), undefined]);
});

it('gives no turn while as much waits as may wait, and one when that is being saved', async () => {
  slow = true;
  saver.add(partition(1).part);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  saver.add(partition(10).part);
  const turn = await turnOf(partition(0).part);
  expect(turn.done).toBeUndefined();
  goOn();
  await vi.waitFor(() => expect(turn.done).toBeDefined());
  goOn();
  await saver.flush();
});

it('saves what changed during a save together, in the next one', async () => {
  slow = true;
  saver.add(partition(1, 1).part);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  for (const next of [2, 3]) saver.add(partition(1, next).part);
  slow = false;
  goOn();
  await saver.flush();
  expect(saves).toEqual([[1], [2, 3]]);
});

it('keeps nobody waiting whose partition has ended, and saves nothing of it that has not begun', async () => {
  slow = true;
  saver.add(partition(1).part);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  const { part, end } = partition(10);
  saver.add(part);
  const turn = await turnOf(part);
  expect(turn.done).toBeUndefined();
  end.abort();
  saver.drop(part);
  await vi.waitFor(() => expect(turn.done).toBeDefined());
  goOn();
  await saver.flush();
  expect(saves).toHaveLength(1);
});

it('ends with the reason when something cannot be saved, and keeps nobody waiting', async () => {
  const broken = partition(1).part;
  Object.assign(broken, {
    unsaved: () => {
      throw new Error('a bug');
    },
  });
  saver.add(broken);
  await vi.waitFor(() => expect(failures).toMatchObject([{ message: 'a bug' }]));
  await saver.flush();
  const turns = await Promise.all([1, 2, 3].map(() => turnOf(partition(0).part)));
  expect(turns.every(({ done }) => done)).toBe(true);
});

it('saves what is far behind less often, until somebody comes who is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    saver = saverWith(100);
    const [behind, current] = [partition(1, 1, { isBehind: true }).part, partition(1, 2).part];
    saver.add(behind);
    await vi.advanceTimersByTimeAsync(0);
    expect(saves).toEqual([[1]]);
    saver.add(behind);
    await vi.advanceTimersByTimeAsync(400);
    expect(saves).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(saves).toEqual([[1], [1]]);
    saver.add(behind);
    await vi.advanceTimersByTimeAsync(150);
    saver.add(current);
    await vi.advanceTimersByTimeAsync(0);
    expect(saves).toEqual([[1], [1], [1, 2]]);
  } finally {
    vi.useRealTimers();
  }
});

it('shows what becomes of traced requests, until their projection is saved', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const request = { traceparent, requestId: 'r-1', topic: 't', partition: 0, offset: 5, records: 1 };
  saver.add(partition(1, 6, { sampled: [{ ...request, appendedAt: 1000, readAt: 2000 }] }).part);
  await saver.flush();
  expect(tracing.spans).toMatchObject([
    { name: 'INSERT projections', kind: 'client' },
    { name: 'project revenue', kind: 'consumer', parentSpanId: '00f067aa0ba902b7', startedAt: 1000 },
  ]);
});
