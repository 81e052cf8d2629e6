import { afterAll, expect } from 'vitest';
import type { TestSystem } from '#testkit';
import { freshStream, queryEvents, waitFor, writeEvent } from '../api.js';

/**
 * Returns the name of a stream for requests that must be refused. At the end of the file it asserts that the stream
 * was not created, that writes still work, and that no process has ended.
 */
export function useRefusedStream(system: () => TestSystem): string {
  const refused = freshStream('refused');
  afterAll(async () => {
    const answer = await system().core.get('/api/v1/streams?limit=10000');
    const { streams } = answer.json<{ streams: { stream: string }[] }>();
    expect(streams.map(({ stream }) => stream)).not.toContain(refused);
    const written = await writeEvent(system().write, { stream: freshStream(), event_type: 't', data: {} });
    const { count } = await queryEvents(system().core, { stream: written.stream }, waitFor([written]));
    expect(count).toBe(1);
    for (const app of system().apps) expect(app.running, app.name).toBe(true);
  });
  return refused;
}
