import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freshStream, path, queryEvents, waitFor, writeEvent } from '../api.js';
import { system } from './one-system.js';

describe('given an entity that is erased', () => {
  it('when the materializer is paused with a backlog of its events, none of them remains after it resumes', async () => {
    const { engines, stack } = system();
    const { core, materializers } = stack;
    const materializer = materializers[0]!;
    const stream = freshStream();
    const event = (n: number) => ({ stream, event_type: 't', entity_id: 'ann', data: { n } });
    await queryEvents(core, { stream }, waitFor([await writeEvent(core, event(0))]));
    await engines.killClickHouse();
    for (let batch = 0; batch < 10; batch++) {
      const events = Array.from({ length: 200 }, (_, n) => event(n));
      expect((await core.post('/api/v1/events/batch', { events })).status).toBe(201);
    }
    // The materializer has read the events and tries to store them.
    await sleep(3_000);
    materializer.pause();
    await engines.startClickHouse();
    const answer = await core.send('DELETE', path('/api/v1/entities/ann', { stream, confirm: 'ann' }));
    expect(answer.json<{ pending: boolean }>(), answer.text).toMatchObject({ pending: true });
    materializer.resume();
    const later = await writeEvent(core, event(1));
    await queryEvents(core, { stream }, waitFor([later]));
    const left = async () =>
      (await queryEvents(core, { stream, entity_id: 'ann', limit: '1000' })).events.map(
        ({ event_id }) => event_id,
      );
    // Events that were stored before the materializer read the tombstone are visible until it has removed them.
    await expect.poll(left).toEqual([later.event_id]);
    for (let second = 0; second < 5; second++) {
      await sleep(1_000);
      expect(await left()).toEqual([later.event_id]);
    }
  });
});
