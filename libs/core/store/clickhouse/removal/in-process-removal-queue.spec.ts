import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../errors.js';
import { InProcessRemovalQueue } from './in-process-removal-queue.js';

describe('InProcessRemovalQueue', () => {
  it('runs removals one after the other, even if an earlier one fails', async () => {
    const queue = new InProcessRemovalQueue();
    const done: string[] = [];
    const removal = (name: string, error?: Error) => async () => {
      done.push(`${name} begins`);
      await Promise.resolve();
      done.push(`${name} ends`);
      if (error) throw error;
      return name;
    };
    const broken = new Error('broken');
    const results = await Promise.allSettled([
      queue.run(removal('a')),
      queue.run(removal('b', broken)),
      queue.run(removal('c')),
    ]);
    expect(results).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: broken },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(done).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('rejects a removal while a hundred are pending, until one completes', async () => {
    const queue = new InProcessRemovalQueue();
    let finish: () => void = () => undefined;
    const first = queue.run(() => new Promise<void>((resolve) => (finish = resolve)));
    const others = Array.from({ length: 99 }, () => queue.run(async () => undefined));
    await expect(queue.run(async () => undefined)).rejects.toBeInstanceOf(StoreUnavailableError);
    finish();
    await Promise.all([first, ...others]);
    await queue.run(async () => undefined);
  });
});
