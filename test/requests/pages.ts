import { describe, expect, it } from 'vitest';
import { expectProblem, path, queryEvents, type EventPage, type Parameters, type ReadEvent } from '../api.js';
import { sixtyEvents, system } from './system.js';

const { orders, users, odd } = sixtyEvents;
const ids = (events: readonly ReadEvent[]) => events.map(({ event_id }) => event_id);

describe.each(['core', 'query'] as const)('pages on the %s port', (port) => {
  const client = () => system()[port];

  it.each(['asc', 'desc'] as const)(
    'contain all events in order %s without gap or repetition',
    async (order) => {
      const filters: Parameters[] = [
        { stream: [orders, users, odd] },
        { entity_id: 'e3' },
        { where: 'event.data.n > 10' },
      ];
      for (const filter of filters) {
        const whole = await queryEvents(client(), filter, { order, limit: '1000' });
        const pieces: ReadEvent[] = [];
        let page: EventPage | undefined;
        do {
          page = await queryEvents(
            client(),
            filter,
            { order, limit: '7' },
            page ? { cursor: page.next_cursor! } : {},
          );
          pieces.push(...page.events);
          expect(page.has_more).toBe(Boolean(page.next_cursor));
        } while (page.next_cursor);
        expect(ids(pieces)).toEqual(ids(whole.events));
      }
      const asc = await queryEvents(client(), { stream: orders, limit: '1000' });
      const desc = await queryEvents(client(), { stream: orders, limit: '1000', order: 'desc' });
      expect(ids(desc.events)).toEqual(ids(asc.events).reverse());
    },
  );

  it('bind a cursor to its filters and its order', async () => {
    const { next_cursor } = await queryEvents(client(), { stream: orders, limit: '5' });
    const cursor = next_cursor!;
    const more: Parameters[] = [
      { stream: users },
      { stream: orders, order: 'desc' },
      { stream: orders, event_type: 'order.paid' },
      {},
    ];
    for (const other of more) {
      expectProblem(await client().get(path('/api/v1/events/query', other, { cursor })), 'invalid_cursor');
    }
    for (let i = 0; i < cursor.length; i += 5) {
      const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      const answer = await client().get(
        path('/api/v1/events/query', { stream: orders, limit: '5', cursor: changed }),
      );
      expectProblem(answer, 'invalid_cursor');
    }
    const next = await queryEvents(client(), { stream: orders, limit: '5', cursor });
    expect(next.count).toBe(5);
  });
});
