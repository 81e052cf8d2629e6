import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';
import { MissingStreamCreator } from './missing-stream-creator.js';

interface Answer {
  accepted: number;
  rejected: number;
  events: { error?: { code: string; status: number; detail: string } }[];
}

const events = (count: number) => Array.from({ length: count }, (_, i) => event({ stream: `s${i}` }));
const actor = { key_id: null, port: 'ingest', request_id: null };
const names = (count: number, prefix = 's') => new Set(Array.from({ length: count }, (_, i) => prefix + i));

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

describe('streams that are created by writes', () => {
  const created = (streams: Iterable<string>) =>
    [...streams].filter((stream) => given.definitions.stream(stream)).length;

  it('are limited to 100 for one request; the events of the others are rejected', async () => {
    const answer = await given.batch({ events: events(102) });
    expect(answer.statusCode).toBe(207);
    const { accepted, rejected, events: results } = answer.json<Answer>();
    expect([accepted, rejected]).toEqual([100, 2]);
    expect(results[101]?.error).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(results[101]?.error?.detail).toContain('s101');
    expect(created(names(102))).toBe(100);
  });

  it('are not created for an atomic batch with more than 100 new streams', async () => {
    const answer = await given.post('/api/v1/events/batch?atomic=true', { events: events(101) });
    expect(answer.json<ProblemDocument>().errors?.map(({ pointer }) => pointer)).toEqual(['/events/100']);
    expect(created(names(101))).toBe(0);
  });

  it('are not created for an atomic batch with an invalid event', async () => {
    const answer = await given.post('/api/v1/events/batch?atomic=true', { events: [...events(3), {}] });
    expect(answer.statusCode).toBe(400);
    expect(created(names(3))).toBe(0);
  });

  it('are no longer created when the client has disconnected', async () => {
    const creator = new MissingStreamCreator(given.definitions, given.topics, true);
    const client = { destroyed: false };
    const ensured = creator.ensure(names(100), { atomic: false, client, actor });
    client.destroyed = true;
    await expect(ensured).rejects.toMatchObject({ code: 'request_timeout' });
    expect(created(names(100))).toBeLessThan(100);
  });

  it('wait for one another up to a maximum number, above which a request gets 503', async () => {
    const creator = new MissingStreamCreator(given.definitions, given.topics, true);
    const client = { destroyed: false };
    const requests = Array.from({ length: 41 }, (_, i) =>
      creator.ensure(names(8, `r${i}-`), { atomic: false, client, actor }),
    );
    const outcomes = await Promise.allSettled(requests);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(41 - (64 + 256) / 8);
    expect(refused[0]?.reason).toMatchObject({ code: 'overloaded' });
  });
});
