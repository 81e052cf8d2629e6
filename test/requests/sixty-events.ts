import { beforeAll } from 'vitest';
import type { TestSystem } from '#testkit';
import { freshStream, queryEvents, waitFor, type ReadEvent, type SingleWriteAnswer } from '../api.js';

/** Sixty events in three streams, written in one batch and read back: the data of the query specs. */
interface SixtyEvents {
  orders: string;
  users: string;
  odd: string;
  /** All events by time, as the API returns them. */
  all: ReadEvent[];
  written: SingleWriteAnswer[];
}

const types = ['order.placed', 'order.paid', 'orders_archived', 'user.seen'];

/** Times repeat across streams and entities, so pages also end between events of the same time. */
function makeEvents(streams: readonly string[]) {
  return Array.from({ length: 60 }, (_, n) => ({
    stream: streams[n % 3]!,
    event_type: types[n % 4]!,
    ...(n % 5 > 0 && { entity_id: `e${n % 5}` }),
    timestamp: `2026-03-01T0${Math.floor(n / 12)}:00:0${Math.floor((n % 12) / 4)}.00000${n % 2}Z`,
    data: {
      n,
      amount: [5, 5.5, 4.75, 6][n % 4],
      customer: n % 2 ? 'ann' : "o'brien",
      ...(n % 7 === 0 && { extra: { deep: n } }),
    },
    metadata: { source: n % 3 ? 'web' : 'app' },
  }));
}

/** Writes the events before the tests of the file, and fills the lists of the result. */
export function useSixtyEvents(system: () => TestSystem): SixtyEvents {
  const [orders, users, odd] = [freshStream('orders'), freshStream('users'), freshStream('odd')];
  const result: SixtyEvents = { orders, users, odd, all: [], written: [] };
  beforeAll(async () => {
    const events = makeEvents([orders, users, odd]);
    const answer = await system().core.post('/api/v1/events/batch', { events });
    if (answer.status !== 201) throw new Error(answer.text);
    answer
      .json<{ events: SingleWriteAnswer[] }>()
      .events.forEach((one, n) => result.written.push({ ...one, stream: events[n]!.stream }));
    const page = await queryEvents(system().core, { limit: '1000' }, waitFor(result.written));
    result.all.push(...page.events);
  });
  return result;
}
