import { randomUUID } from 'node:crypto';
import { getInMemoryMessageBus, forwardToMessageBus, type Event } from '@event-driven-io/emmett';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tributary } from '#client';
import { TributaryEventStore } from '../../examples/emmett/index.js';
import { freshStream } from '../api.js';
import { useSharedStack } from '../use-stack.js';
import { itBehavesLikeAnEventStore } from './behaviours.js';

const system = useSharedStack();
const stream = freshStream('emmett');

function client(): Tributary {
  const { urls, key } = system();
  return new Tributary({ url: urls.query, apiKey: key, ingestUrl: urls.ingest });
}

describe('the event store of examples/emmett', () => {
  let store: TributaryEventStore;
  beforeAll(() => {
    // In this spec the store reads its own writes, so it need not wait for expected versions that do not exist.
    store = new TributaryEventStore(client(), { stream, visibleMs: 100 });
  });

  itBehavesLikeAnEventStore(() => store);

  it('sees the version that another process has just written, if it is expected', async () => {
    const processes = [client(), client()].map(
      (own) => new TributaryEventStore(own, { stream, visibleMs: 20_000 }),
    );
    const name = randomUUID();
    const event = { type: 'Moved', data: { by: 1 } };
    let version = 0n;
    for (let n = 0; n < 5; n++) {
      const writer = processes[n % 2]!;
      await writer.readStream(name, { expectedStreamVersion: version });
      const appended = await writer.appendToStream(name, [event, event], { expectedStreamVersion: version });
      version = appended.nextExpectedStreamVersion;
    }
    expect(version).toBe(10n);
  });

  it('stores each event as one of Tributary, and those of an append together', async () => {
    const name = randomUUID();
    await store.appendToStream(name, [
      { type: 'Sent', data: { at: new Date(0), amount: 12n } },
      { type: 'Received', data: {}, metadata: { by: { name: 'Ada' } } },
    ] as Event[]);
    const own = client();
    const found: unknown[] = [];
    await expect
      .poll(async () => {
        found.length = 0;
        for await (const { version, event_type, data, metadata } of own.events({ stream, entity_id: name }))
          found.push({ version, event_type, data, metadata });
        return found;
      })
      .toEqual([
        {
          ...{ version: 1, event_type: 'Sent', metadata: {} },
          data: { at: '1970-01-01T00:00:00.000Z', amount: '12' },
        },
        { version: 2, event_type: 'Received', data: {}, metadata: { emmett: '{"by":{"name":"Ada"}}' } },
      ]);
    const { events } = await store.readStream(name);
    expect(events[1]).toMatchObject({ metadata: { by: { name: 'Ada' }, streamPosition: 2n } });
  });

  it('passes written events to its hook', async () => {
    const bus = getInMemoryMessageBus();
    const heard: unknown[] = [];
    bus.subscribe((event: Event) => void heard.push(event), 'Sent');
    const forwarding = new TributaryEventStore(client(), {
      stream,
      hooks: { onAfterCommit: forwardToMessageBus(bus) },
    });
    const name = randomUUID();
    await forwarding.appendToStream(name, [{ type: 'Sent', data: { n: 1 } }]);
    await forwarding.appendToStream(name, [{ type: 'Sent', data: { n: 2 } }]);
    expect(heard).toMatchObject([
      { data: { n: 1 }, metadata: { streamName: name, streamPosition: 1n } },
      { data: { n: 2 }, metadata: { streamName: name, streamPosition: 2n } },
    ]);
  });
});
