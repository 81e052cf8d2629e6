import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

describe.each(['core', 'query'] as const)('wait_for on the %s port', (port) => {
  const client = () => system()[port];

  it('waits for a position until it can be queried, and is a problem after ten seconds', async () => {
    const { stream, partition } = await writeEvent(client(), {
      stream: freshStream(),
      event_type: 't',
      data: {},
    });
    const start = Date.now();
    const answer = await client().get(
      path('/api/v1/events/query', { wait_for: `${stream}:${partition}:1000000` }),
    );
    expectProblem(answer, 'not_yet_materialized');
    expect(Date.now() - start).toBeGreaterThan(9_000);
  });

  it('reads its own writes', async () => {
    const stream = freshStream();
    for (let n = 0; n < 10; n++) {
      const one = await writeEvent(client(), { stream, event_type: 't', data: { n } });
      const page = await queryEvents(client(), { stream }, waitFor([one]));
      expect(page.count).toBe(n + 1);
    }
  });

  it('does not wait for a missing stream', async () => {
    const answer = await client().get(path('/api/v1/events/query', { wait_for: 'nobody-made-this:0:1' }));
    expectProblem(answer, 'stream_not_found');
  });
});
