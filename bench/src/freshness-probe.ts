import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpClient } from '#testkit';

interface Written {
  stream: string;
  ackedAt: number;
}

const writeEveryMs = 50;
const readEveryMs = 50;
const readTimeoutMs = 3_000;
const newest = 400;

/**
 * Writes single events to streams, one after the other, and measures when each can be queried. Failed writes and
 * reads appear as a gap.
 */
export class FreshnessProbe {
  private readonly written = new Map<number, Written>();
  private readonly seen = new Map<string, number>();
  private readonly acks = new Map<HttpClient, number[]>();
  private running = true;
  private readonly loops: Promise<void>[] = [];
  private count = 0;

  constructor(
    private readonly reader: HttpClient,
    private readonly streams: readonly string[],
  ) {}

  /** Writes through this client until the end. */
  writeThrough(client: HttpClient): void {
    this.acks.set(client, []);
    this.loops.push(this.repeat(writeEveryMs, () => this.write(client)));
  }

  /** Queries the events, or the output derived from them, in these streams until the end. */
  readFrom(streams: readonly string[]): void {
    this.loops.push(this.repeat(readEveryMs, () => this.read(streams)));
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.loops);
  }

  /** Returns the longest time, in seconds, without an acknowledged write through this client since `since`. */
  longestGap(client: HttpClient, since: number): number {
    const times = [since, ...(this.acks.get(client) ?? []).filter((time) => time > since), performance.now()];
    return Math.max(...times.slice(1).map((time, index) => time - times[index]!)) / 1000;
  }

  /**
   * Returns the longest time, in seconds, from the acknowledgement of an event until it could be queried: in its own
   * stream, or in the given one. An event that has not appeared yet counts until now.
   */
  longestWait(since: number, of?: string): number {
    const waits = [...this.written].flatMap(([number, { stream, ackedAt }]) => {
      if (ackedAt < since) return [];
      const seenAt = this.seen.get(keyOf(of ?? stream, number)) ?? performance.now();
      return [seenAt - ackedAt];
    });
    return Math.max(0, ...waits) / 1000;
  }

  private async repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (this.running) {
      // Failures are part of the measurement.
      await work().catch(() => undefined);
      await sleep(everyMs);
    }
  }

  private async write(client: HttpClient): Promise<void> {
    const number = this.count++;
    const stream = this.streams[number % this.streams.length]!;
    const event = { stream, event_type: 'probe', entity_id: 'probe', data: { number } };
    const { status } = await client.post('/api/v1/events', event, { timeoutMs: 60_000 });
    if (status !== 201) return;
    const ackedAt = performance.now();
    this.written.set(number, { stream, ackedAt });
    this.acks.get(client)!.push(ackedAt);
  }

  private async read(streams: readonly string[]): Promise<void> {
    const wanted = streams.map((stream) => `stream=${stream}`).join('&');
    const path = `/api/v1/events/query?${wanted}&order=desc&limit=${newest}`;
    const answer = await this.reader.get(path, { timeoutMs: readTimeoutMs });
    if (answer.status !== 200) return;
    const now = performance.now();
    for (const { stream, data } of answer.json<{
      events: { stream: string; data: { number: number } }[];
    }>().events) {
      const key = keyOf(stream, data.number);
      if (!this.seen.has(key)) this.seen.set(key, now);
    }
  }
}

function keyOf(stream: string, number: number): string {
  return `${stream}/${number}`;
}
