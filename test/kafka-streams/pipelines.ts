import { expect } from 'vitest';
import { until, type HttpClient, type TestSystem } from '#testkit';
import { queryEvents, type ReadEvent } from '../api.js';
import type { InputEvent } from './comparison-scenarios.js';

export async function post(client: HttpClient, path: string, body: object): Promise<void> {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(201);
}

export async function write(system: TestSystem, stream: string, all: readonly InputEvent[]): Promise<void> {
  for (let i = 0; i < all.length; i += 500) {
    const events = all.slice(i, i + 500).map(({ n, entity, shop, amount, at }) => ({
      ...{ stream, event_type: n < 0 ? 'closing' : 'paid', entity_id: entity },
      ...{ timestamp: new Date(at * 1000).toISOString(), data: { n, shop, amount } },
    }));
    await post(system.write, '/api/v1/events/batch', { events });
  }
}

interface ProcessedPipeline {
  pipeline: string;
  /** The streams to which it writes. */
  outputs: readonly string[];
  /** The number of its events, including the closing ones. */
  count: number;
  /** The time of the closing events, in seconds. */
  closed: number;
}

/** Resolves when all windows and joins of a pipeline have closed, and their results are stored. */
export async function hasProcessed(
  system: TestSystem,
  { pipeline, outputs, count, closed }: ProcessedPipeline,
): Promise<void> {
  let shown = '';
  const isStored = async () => {
    const answer = await system.query.get(`/api/v1/pipelines/${pipeline}`);
    shown = answer.text;
    const { processed, emitted, watermark } = answer.json<{
      processed: number;
      emitted: number;
      watermark: string | null;
    }>();
    if (processed < count) return false;
    if (watermark === null || Date.parse(watermark) < closed * 1000) return false;
    const stored = (await Promise.all(outputs.map((stream) => allOf(system, stream)))).flat().length;
    shown += ` stored: ${stored}`;
    return stored >= emitted;
  };
  await until(isStored, {
    ...{
      what: 'the pipeline has processed all events',
      progress: () => shown,
      diagnosis: () => shown,
      intervalMs: 200,
    },
  });
}

export async function allOf(system: TestSystem, stream: string): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await queryEvents(system.query, { stream, limit: '1000', ...(cursor && { cursor }) });
    events.push(...page.events);
    cursor = page.has_more ? page.next_cursor : undefined;
  } while (cursor);
  return events;
}
