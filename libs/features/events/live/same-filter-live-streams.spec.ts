import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { formatTime } from '#json';
import { StepBudget } from '#cel';
import { eventRow } from '../../../../apps/gateway/src/gateway.fixture.js';
import { LiveEvent, LiveFilter } from './live-filter.js';
import {
  SameFilterLiveStreams,
  type LiveBatch,
  type LiveMessages,
  type LiveMessagesListener,
} from './same-filter-live-streams.js';
import { LivePosition } from './live-position.js';

const kib = 1024;

/** Returns a group that follows this many streams, each with four partitions at large offsets. */
function givenGroup(streams: number): SameFilterLiveStreams {
  const group = new SameFilterLiveStreams(new LiveFilter({ access: allStreams }));
  group.cursor = new LivePosition(group.filter.binding);
  for (let stream = 0; stream < streams; stream++)
    for (let partition = 0; partition < 4; partition++)
      group.cursor.set(keyOf(`s${stream}`), partition, 2 ** 28 + stream);
  return group;
}

const keyOf = (stream: string) => stream.padStart(8, '0');

/** Returns events of one partition, each with this many bytes of data. */
function batchOf(events: number, bytes: number): LiveBatch {
  const data = JSON.stringify({ text: 'x'.repeat(bytes) });
  const live = Array.from({ length: events }, (_, offset) => {
    const row = eventRow({ offset: 2 ** 28 + offset, stream: 's0', data });
    return new LiveEvent({
      ...row,
      ...{ timestamp: formatTime(row.timestamp), ingested_at: formatTime(row.ingested_at) },
    });
  });
  const reached = [{ stream: 's0', partition: 0, next: 2 ** 28 + events }];
  return { events: new Map([['s0', live]]), reached, keyOf };
}

const freely = () => ({
  slice: { over: () => false, end: () => Promise.resolve() },
  budget: new StepBudget(1_000_000),
});

/** Receives this many parts, and then has no more room. */
class Listener implements LiveMessagesListener {
  readonly parts: LiveMessages[] = [];
  /** The position of the group when the listener left. */
  left: string | undefined;

  constructor(
    private readonly group: SameFilterLiveStreams,
    private readonly most = Infinity,
  ) {
    group.listeners.add(this);
  }

  take(part: LiveMessages): void {
    this.parts.push(part);
    if (this.parts.length < this.most) return;
    this.group.listeners.delete(this);
    this.left = this.group.cursor?.toString();
  }

  fail(): void {
    this.group.listeners.delete(this);
  }

  get text(): string {
    return this.parts.map(({ bytes }) => String(bytes)).join('');
  }

  get ids(): string[] {
    return [...this.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
  }
}

describe('messages of live events', () => {
  it('are delivered in parts of 64 KiB plus one event, to listeners that still have room', async () => {
    const group = givenGroup(1);
    const [all, slow] = [new Listener(group), new Listener(group, 2)];
    await group.deliver(batchOf(400, 2 * kib), freely());
    expect(all.parts.length).toBeGreaterThan(10);
    for (const { bytes } of all.parts) expect(bytes.length).toBeLessThan(67 * kib);
    expect(slow.parts).toEqual(all.parts.slice(0, 2));
    expect(all.parts.reduce((sum, { events }) => sum + events, 0)).toBe(400);
    // The group's position is after exactly the parts that the listener has received.
    expect(slow.left).toBe(slow.ids.at(-1));
  });

  it('each have an id when ids are short', async () => {
    const group = givenGroup(1);
    const listener = new Listener(group);
    await group.deliver(batchOf(400, 200), freely());
    expect(listener.ids).toHaveLength(400);
    expect(listener.ids.at(-1)).toBe(group.cursor?.toString());
  });

  it('have an id after as many characters of events when ids are long', async () => {
    const group = givenGroup(350);
    const listener = new Listener(group);
    const batch = batchOf(400, 200);
    await group.deliver(batch, freely());
    const idLength = group.cursor!.toString().length;
    expect(idLength).toBeGreaterThan(8 * kib);
    const json = [...batch.events.values()]
      .flat()
      .reduce((sum, event) => sum + event.json('event').length, 0);
    expect(listener.text.length).toBeLessThan(2 * json + idLength + 400 * 40);
    const between = listener.text.split(/^id: .*$/m);
    expect(between.length).toBeGreaterThan(5);
    for (const events of between) expect(events.length).toBeLessThan(1.2 * idLength);
  });
});
