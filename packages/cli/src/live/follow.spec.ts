import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow, type LiveStreamWithPosition, PositionFile } from './follow.js';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tributary-followed-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * A stream of these steps: a position without an item, or an item and its position. After the last step, the stream
 * sends nothing more.
 */
function given(...steps: { at: string; item?: string }[]) {
  return (signal: AbortSignal): LiveStreamWithPosition<string> => {
    const stream = {
      position: undefined as string | undefined,
      async *[Symbol.asyncIterator]() {
        for (const { at, item } of steps) {
          stream.position = at;
          if (item !== undefined) yield item;
        }
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    };
    return stream;
  };
}

const all = async (items: AsyncIterable<string>) => {
  const found: string[] = [];
  for await (const item of items) found.push(item);
  return found;
};
const kept = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('the saved position of a followed stream', () => {
  it('is saved even if no item has arrived', async () => {
    const [file, ended] = [new PositionFile(join(folder, 'none')), new AbortController()];
    const following = all(follow({ open: given({ at: 'start' }), signal: ended.signal, file, most: 9 }));
    const thrown = following.catch((error: unknown) => error);
    await expect.poll(() => kept('none')).toBe('start\n');
    ended.abort(new Error('ended'));
    expect(await thrown).toBe(ended.signal.reason);
  });

  it('is the position of the last written item', async () => {
    const open = given({ at: '1', item: 'a' }, { at: '2', item: 'b' }, { at: '3', item: 'c' });
    const { signal } = new AbortController();
    const file = new PositionFile(join(folder, 'two'));
    expect(await all(follow({ open, signal, file, most: 2 }))).toEqual(['a', 'b']);
    expect(kept('two')).toBe('2\n');
  });

  it('does not move past an item that was not written', async () => {
    const [file, closed] = [new PositionFile(join(folder, 'broken')), new AbortController()];
    const open = given({ at: '1', item: 'a' }, { at: '2', item: 'b' });
    const reading = (async () => {
      for await (const item of follow({ open, signal: closed.signal, file, most: 9 }))
        if (item === 'b') process.nextTick(() => closed.abort(new Error('closed')));
    })();
    await expect(reading).rejects.toThrow('closed');
    expect(kept('broken')).toBe('1\n');
  });

  it('ends the stream if it cannot be saved', async () => {
    const file = new PositionFile(join(folder, 'nothing', 'position'));
    const { signal } = new AbortController();
    await expect(all(follow({ open: given({ at: '1' }), signal, file, most: 9 }))).rejects.toThrow(
      'cannot be written',
    );
  });
});
