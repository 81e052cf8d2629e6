import { describe, expect, it } from 'vitest';
import { testsAll } from '#testkit';
import { freshStream, queryEvents, waitFor, writeEvent } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { system } from './two-materializers.js';

const streamCount = testsAll ? 200 : 40;

describe('given a system under load', () => {
  it('when a stream is created, its events can be queried (fault 14)', async () => {
    const { stack } = system();
    await underLoad(stack, async () => {
      for (let i = 0; i < 5; i++) {
        const stream = freshStream('new');
        const written = await writeEvent(stack.write, { stream, event_type: 't', data: { i } });
        const { events } = await queryEvents(stack.core, { stream }, waitFor([written]));
        expect(events).toMatchObject([{ data: { i } }]);
      }
    });
  });

  it(`when ${streamCount} streams are created in quick succession, events of all of them can be queried (fault 14)`, async () => {
    const { stack } = system();
    await underLoad(
      stack,
      async () => {
        const streams = Array.from({ length: streamCount }, (_, n) => freshStream(`many-${n}`));
        const written = await inParallel(streams, async (stream, n) => {
          if (n % 2) await stack.core.post('/api/v1/streams', { stream, partitions: 1 });
          return await writeEvent(stack.write, { stream, event_type: 't', entity_id: 'e', data: { n } });
        });
        await inParallel(written, async (one, n) => {
          const { events } = await queryEvents(stack.core, { stream: one.stream }, waitFor([one]));
          expect(events).toMatchObject([{ data: { n }, version: 1 }]);
        });
      },
      { eventsPerSecond: 40 },
    );
  });
});

/** Runs four items at a time; the results are in the order of the items. */
async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const run = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: 4 }, run));
  return results;
}
