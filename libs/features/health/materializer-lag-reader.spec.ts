import { describe, expect, it } from 'vitest';
import { streamNameOf, TopicAndGroupNames } from '#event';
import type { StreamDefinition } from '#registry';
import { MaterializerLagReader } from './materializer-lag-reader.js';

const topics = new TopicAndGroupNames('t.');

describe("the materializer's lag", () => {
  it('sums the uncommitted records of all streams and partitions, and has the age of the oldest', async () => {
    const log = new Offsets();
    log.set('a', [
      { beginning: 0, end: 10, committed: 4 },
      { beginning: 2, end: 5 },
    ]);
    log.set('b', [{ beginning: 0, end: 7, committed: 7 }]);
    const lag = new MaterializerLagReader({ admin: log }, log, topics);
    expect(await lag.measure(0)).toEqual({ lag_events: 9, lag_seconds: 0 });
    log.set('a', [
      { beginning: 0, end: 20, committed: 10 },
      { beginning: 2, end: 5 },
    ]);
    expect(await lag.measure(2500)).toEqual({ lag_events: 13, lag_seconds: 2.5 });
  });

  it('is zero without streams', async () => {
    const log = new Offsets();
    const lag = new MaterializerLagReader({ admin: log }, log, topics);
    expect(await lag.recent()).toEqual({ lag_events: 0, lag_seconds: 0 });
  });

  it('excludes streams that are being deleted or have just been deleted', async () => {
    const log = new Offsets();
    for (const stream of ['a', 'b', 'c']) log.set(stream, [{ beginning: 0, end: 3 }]);
    log.deleting.add('b');
    log.gone.add('c');
    const lag = new MaterializerLagReader({ admin: log }, log, topics);
    expect(await lag.measure(0)).toEqual({ lag_events: 3, lag_seconds: 0 });
    expect(log.asked).toBe(1);
  });

  it('needs two requests for a thousand streams: one for end offsets, one for committed offsets', async () => {
    const log = new Offsets();
    for (let i = 0; i < 1_000; i++) log.set(`s${i}`, [{ beginning: 0, end: 2, committed: 1 }]);
    const lag = new MaterializerLagReader({ admin: log }, log, topics);
    expect(await lag.measure(0)).toEqual({ lag_events: 1_000, lag_seconds: 0 });
    expect([log.asked, log.askedForCommitted]).toEqual([1, 1]);
  });

  it('is measured once for concurrent callers', async () => {
    const log = new Offsets();
    log.set('a', [{ beginning: 0, end: 1 }]);
    const lag = new MaterializerLagReader({ admin: log }, log, topics);
    await Promise.all([lag.recent(), lag.recent(), lag.recent()]);
    expect(log.asked).toBe(1);
  });
});

interface PartitionOffsets {
  beginning: number;
  end: number;
  committed?: number;
}

function streamOf(topic: string): string {
  return streamNameOf(topics.streamOf(topic) ?? '');
}

/** Streams and offsets that a spec sets. */
class Offsets {
  asked = 0;
  askedForCommitted = 0;
  private readonly byTopic = new Map<string, PartitionOffsets[]>();
  readonly deleting = new Set<string>();
  /** Topics that no longer exist. */
  readonly gone = new Set<string>();

  set(stream: string, partitions: PartitionOffsets[]): void {
    this.byTopic.set(topics.ofStream(`${stream}#1`), partitions);
  }

  streams(): StreamDefinition[] {
    return [...this.byTopic].map(([topic, { length }]) => ({
      stream: streamOf(topic),
      id: topics.streamOf(topic)!,
      partitions: length,
      retention: 'unlimited',
      created_at: '',
      state: this.deleting.has(streamOf(topic)) ? ('deleting' as const) : ('live' as const),
    }));
  }

  async offsetsIn(asked: readonly string[]) {
    this.asked++;
    const there = asked.filter((topic) => !this.gone.has(streamOf(topic)));
    return new Map(there.map((topic) => [topic, this.offsets(topic)]));
  }

  private offsets(topic: string) {
    return (this.byTopic.get(topic) ?? []).map(({ beginning, end }, partition) => {
      return { partition, beginning, end };
    });
  }

  async committedIn(_group: string, asked: ReadonlyMap<string, number>) {
    this.askedForCommitted++;
    return new Map([...asked.keys()].map((topic) => [topic, this.committed(topic)]));
  }

  private committed(topic: string): Map<number, number> {
    const entries = (this.byTopic.get(topic) ?? []).map(
      ({ committed }, partition) => [partition, committed] as const,
    );
    return new Map(entries.filter((entry): entry is [number, number] => entry[1] !== undefined));
  }
}
