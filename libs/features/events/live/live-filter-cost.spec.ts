import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseExpression } from '#cel';
import { EventStreamParser } from '#testkit';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow } from '../../../../apps/gateway/src/gateway.fixture.js';
import type { LiveSelection } from './live-filter.js';
import { begun, eventsReceived, LiveStreamsFixture, LiveClient } from './live.fixture.js';

const newClient = (question: Partial<LiveSelection> = {}) =>
  new LiveClient(() => new EventStreamParser(), question);

/** True for an event with this list, after some milliseconds. */
const costly = parseExpression(
  'event.data.list.all(x, event.data.list.all(y, x + y < 1000 && x * y < 1000000))',
);
const list = (length: number) => JSON.stringify({ list: Array.from({ length }, (_, i) => i % 7) });

async function given(events: number, length: number) {
  const world = new LiveStreamsFixture();
  world.define('orders');
  const rows = Array.from({ length: events }, (_, offset) => eventRow({ offset, data: list(length) }));
  return {
    world,
    live: world.gateway(),
    /** All events arrive at once, as one page. */
    store: async () => {
      await world.store.writer.appendRowBatches(rowBatchesOf(rows), 'rows');
      world.commit('orders', 0, events);
    },
  };
}

describe('a page of live events with an expensive filter', () => {
  it('lets other work of the process run', async () => {
    // Each event takes longer than a time slice, also on a fast machine.
    const { live, store } = await given(20, 300);
    const client = newClient({ where: costly });
    void client.connect(live);
    await begun(client);
    await store();
    /** How many events had arrived at each turn of the event loop. */
    const seen = new Set<number>();
    while (client.offsets.length < 20) {
      seen.add(client.offsets.length);
      await setImmediate();
    }
    expect(seen.size).toBeGreaterThan(5);
    expect(client.offsets).toEqual(Array.from({ length: 20 }, (_, i) => `orders/0/${i}`));
    live.close();
  });

  it('is delivered completely before it or the next page is started', async () => {
    const { world, live, store } = await given(20, 120);
    const client = newClient({ where: costly });
    void client.connect(live);
    await begun(client);
    await store();
    const questions = world.questions;
    const asked = new Set<number>();
    while (client.offsets.length < 20) {
      if (client.offsets.length > 0) asked.add(world.questions - questions);
      await setImmediate();
    }
    expect(asked.size).toBe(1);
    live.close();
  });

  it('ends the streams of that filter when it needs too many steps, and no other stream', async () => {
    const { live, store } = await given(100, 500);
    const [expensive, plain] = [newClient({ where: costly }), newClient()];
    const ended = expensive.connect(live);
    void plain.connect(live);
    await Promise.all([begun(expensive), begun(plain)]);
    await store();
    await ended;
    expect(expensive.errors).toMatchObject([{ code: 'query_too_expensive', errors: [{ pointer: 'where' }] }]);
    await eventsReceived(plain, 100);
    expect(plain.offsets).toHaveLength(100);
    live.close();
  });

  it('continues for the others when a client disconnects in the middle of it', async () => {
    const { live, store } = await given(20, 120);
    const clients = [newClient({ where: costly }), newClient({ where: costly }), newClient()] as const;
    for (const client of clients) void client.connect(live);
    await Promise.all(clients.map(begun));
    await store();
    await eventsReceived(clients[0], 3);
    clients[0].cut();
    await Promise.all([eventsReceived(clients[1], 20), eventsReceived(clients[2], 20)]);
    void clients[0].connect(live);
    await eventsReceived(clients[0], 20);
    for (const { offsets } of clients)
      expect(offsets).toEqual(Array.from({ length: 20 }, (_, i) => `orders/0/${i}`));
    live.close();
  });

  it('is abandoned when the process closes in the middle of it', async () => {
    const { live, store } = await given(20, 120);
    const client = newClient({ where: costly });
    const ended = client.connect(live);
    await begun(client);
    await store();
    await eventsReceived(client, 3);
    live.close();
    await ended;
    const { length } = client.offsets;
    expect(client.errors).toMatchObject([{ code: 'shutting_down' }]);
    for (let i = 0; i < 50; i++) await setImmediate();
    expect(client.offsets).toHaveLength(length);
    expect(length).toBeLessThan(20);
  });
});
