import { beforeEach, expect, it, vi } from 'vitest';
import { Checkpointer, type Checkpoint, type Checkpointed } from './checkpointer.js';

let saves: number[][];
/** Lets the save go on that is under way. */
let goOn: () => void;
let slow: boolean;
let failures: unknown[];
let committed: number[];
let checkpointer: Checkpointer<Checkpointed<Checkpoint>, Checkpoint>;

function checkpointerWith(intervalMs: number): typeof checkpointer {
  return new Checkpointer({
    save: async (all) => {
      saves.push(all.map(({ progress }) => progress.next));
      if (slow) await new Promise<void>((resolve) => (goOn = resolve));
    },
    intervalMs,
    most: { keys: 10, weight: 1e6 },
    permits: 2,
    saved: () => undefined,
    onFailure: (error) => failures.push(error),
  });
}

beforeEach(() => {
  [saves, slow, failures, committed] = [[], false, [], []];
  checkpointer = checkpointerWith(0);
});

/** A task with so many changed keys, and what ends its partition. */
function task(keys: number, next = 1, { isBehind = false } = {}) {
  const end = new AbortController();
  const one = {
    partition: { ended: end.signal, commit: (to: number) => void committed.push(to) },
    unsavedCount: keys,
    unsavedWeight: 0,
    isBehind,
    unsaved: () => {
      one.unsavedCount = 0;
      return { progress: { next }, saved: () => undefined };
    },
  };
  return { task: one, end };
}

/** Whether somebody has a permit yet. */
async function permitOf(one: Checkpointed<Checkpoint>): Promise<{ done?: () => void }> {
  const permit: { done?: () => void } = {};
  void checkpointer.permit(one).then((done) => (permit.done = done));
  await new Promise(setImmediate);
  return permit;
}

it('lets as many compute at a time as there are permits, in their order', async () => {
  const [first, second] = [await permitOf(task(0).task), await permitOf(task(0).task)];
  const [third, fourth] = [await permitOf(task(0).task), await permitOf(task(0).task)];
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

it('gives no permit while as much waits as may wait, and one when that is being saved', async () => {
  slow = true;
  checkpointer.add(task(1).task);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  checkpointer.add(task(10).task);
  const permit = await permitOf(task(0).task);
  expect(permit.done).toBeUndefined();
  goOn();
  await vi.waitFor(() => expect(permit.done).toBeDefined());
  goOn();
  await checkpointer.flush();
});

it('saves what changed during a save together, in the next one', async () => {
  slow = true;
  checkpointer.add(task(1, 1).task);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  for (const next of [2, 3]) checkpointer.add(task(1, next).task);
  slow = false;
  goOn();
  await checkpointer.flush();
  expect(saves).toEqual([[1], [2, 3]]);
  expect(committed).toEqual([1, 2, 3]);
});

it('has flushed when what was added before is saved, however much comes afterwards', async () => {
  slow = true;
  const [busy, other] = [task(1, 1).task, task(1, 2).task];
  checkpointer.add(busy);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  checkpointer.add(busy);
  checkpointer.add(other);
  let flushed = false;
  void checkpointer.flush().then(() => (flushed = true));
  goOn();
  await vi.waitFor(() => expect(saves).toHaveLength(2));
  expect(flushed).toBe(false);
  checkpointer.add(busy);
  goOn();
  await vi.waitFor(() => expect(flushed).toBe(true));
  await vi.waitFor(() => expect(saves).toEqual([[1], [1, 2], [1]]));
  goOn();
});

it('keeps nobody waiting whose partition has ended, and saves nothing of it that has not begun', async () => {
  slow = true;
  checkpointer.add(task(1).task);
  await vi.waitFor(() => expect(saves).toHaveLength(1));
  const { task: one, end } = task(10);
  checkpointer.add(one);
  const permit = await permitOf(one);
  expect(permit.done).toBeUndefined();
  end.abort();
  checkpointer.drop(one);
  await vi.waitFor(() => expect(permit.done).toBeDefined());
  goOn();
  await checkpointer.flush();
  expect(saves).toHaveLength(1);
});

it('ends with the reason when something cannot be saved, and keeps nobody waiting', async () => {
  const broken = task(1).task;
  Object.assign(broken, {
    unsaved: () => {
      throw new Error('a bug');
    },
  });
  checkpointer.add(broken);
  await vi.waitFor(() => expect(failures).toMatchObject([{ message: 'a bug' }]));
  await checkpointer.flush();
  const permits = await Promise.all([1, 2, 3].map(() => permitOf(task(0).task)));
  expect(permits.every(({ done }) => done)).toBe(true);
});

it('saves what is far behind less often, until somebody comes who is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    checkpointer = checkpointerWith(100);
    const [behind, current] = [task(1, 1, { isBehind: true }).task, task(1, 2).task];
    checkpointer.add(behind);
    await vi.advanceTimersByTimeAsync(0);
    expect(saves).toEqual([[1]]);
    checkpointer.add(behind);
    await vi.advanceTimersByTimeAsync(400);
    expect(saves).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(saves).toEqual([[1], [1]]);
    checkpointer.add(behind);
    await vi.advanceTimersByTimeAsync(150);
    checkpointer.add(current);
    await vi.advanceTimersByTimeAsync(0);
    expect(saves).toEqual([[1], [1], [1, 2]]);
  } finally {
    vi.useRealTimers();
  }
});
