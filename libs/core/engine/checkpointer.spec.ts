import { beforeEach, expect, it, vi } from 'vitest';
import { Checkpointer, type UnsavedTaskChanges, type CheckpointedTask } from './checkpointer.js';

let saves: number[][];
/** Lets the current save finish. */
let goOn: () => void;
let slow: boolean;
let failures: unknown[];
let committed: number[];
let checkpointer: Checkpointer<CheckpointedTask<UnsavedTaskChanges>, UnsavedTaskChanges>;

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

/** Returns a task with a number of changed keys, and a controller that revokes its partition. */
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

/** Requests a permit; `done` is set when it was granted. */
async function permitOf(one: CheckpointedTask<UnsavedTaskChanges>): Promise<{ done?: () => void }> {
  const permit: { done?: () => void } = {};
  void checkpointer.permit(one.partition.ended).then((done) => (permit.done = done));
  await new Promise(setImmediate);
  return permit;
}

it('grants as many permits at a time as configured, in order', async () => {
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

it('grants no permit while the unsaved changes are at their limit, and grants one when their save begins', async () => {
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

it('saves all changes made during a save together in the next save', async () => {
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

it('resolves flush when all changes from before the call are saved, even if more follow', async () => {
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

it('releases a task whose partition was revoked, and does not begin to save its changes', async () => {
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

it('reports the error of a failed save, and releases all waiting callers', async () => {
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

it('saves tasks that are far behind less often, until a current task has changes', async () => {
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

it('saves early if a reader waits, and as usual after that save', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    checkpointer = checkpointerWith(1_000);
    const { task: one } = task(1);
    checkpointer.add(one);
    await vi.advanceTimersByTimeAsync(0);
    checkpointer.add(one);
    await vi.advanceTimersByTimeAsync(50);
    checkpointer.flushSoon();
    await vi.advanceTimersByTimeAsync(49);
    expect(saves).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(saves).toHaveLength(2);
    checkpointer.add(one);
    await vi.advanceTimersByTimeAsync(999);
    expect(saves).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});
