import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, queryEvents } from '../api.js';
import { system } from './system.js';

interface IntakeAnswer {
  accepted: number;
  refused: number;
  positions: { partition: number; offset: number }[];
}

interface Letter {
  id: string;
  stream: string;
  reason: string;
  error: string;
}

const raw = async (stream: string, query: Record<string, string>, body: string): Promise<IntakeAnswer> => {
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await system().write.post(path(`/api/v1/streams/${stream}/raw`, query), body, { headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<IntakeAnswer>();
};

const read = (stream: string, { positions }: IntakeAnswer) => {
  const waits = positions.map(
    ({ partition, offset }) => ['wait_for', `${stream}:${partition}:${offset}`] as const,
  );
  return queryEvents(system().core, { stream, limit: '1000' }, waits);
};

const lettersOf = async (stream: string): Promise<Letter[]> => {
  const answer = await system().core.get('/api/v1/dead-letters?limit=1000&replayed=false');
  return answer.json<{ dead_letters: Letter[] }>().dead_letters.filter((letter) => letter.stream === stream);
};

describe('raw writes', () => {
  it('of the same lines twice are stored once, with their exact text', async () => {
    const stream = freshStream();
    const lines = Array.from(
      { length: 50 },
      (_, n) => `{"u":"u-${n % 5}","n": ${n}, "big":9007199254740993}`,
    );
    const query = { event_type: 'seen', entity_id: '/u' };
    await raw(stream, query, lines.join('\n'));
    const { events } = await read(stream, await raw(stream, query, lines.join('\n')));
    expect(events).toHaveLength(50);
    expect(new Set(events.map(({ entity_id }) => entity_id)).size).toBe(5);
    const first = await system().core.get(`/api/v1/events/${events[0]!.event_id}`);
    expect(first.text).toContain('"big":9007199254740993');
  });

  it('keep values that violate a schema as dead letters, which become events when the schema is corrected', async () => {
    const stream = freshStream();
    const define = async (type: string) => {
      const schema = { properties: { amount: { type } } };
      const body = { stream, event_type: 'paid', schema, compatibility: 'none' };
      const answer = await system().core.post('/api/v1/schemas', body);
      expect(answer.status, answer.text).toBeOneOf([200, 201]);
    };
    await define('integer');
    const written = await raw(
      stream,
      { event_type: 'paid', entity_id: '/u' },
      '{"u":"a","amount":1}\n{"u":"a","amount":1.5}',
    );
    expect(written).toMatchObject({ accepted: 1, refused: 1 });
    expect((await read(stream, written)).events).toHaveLength(1);
    const letters = await lettersOf(stream);
    expect(letters).toMatchObject([
      { reason: 'refused_at_intake', error: expect.stringMatching(/^schema_violation: .*amount/) as string },
    ]);
    const replay = () =>
      system().core.post('/api/v1/dead-letters/replay', { ids: letters.map(({ id }) => id) });
    expect((await replay()).json()).toMatchObject({ replayed: 0, failed: [{ id: letters[0]!.id }] });
    await define('number');
    const answer = (await replay()).json<{ events: IntakeAnswer['positions'] }>();
    const { events } = await read(stream, { ...written, positions: answer.events });
    expect(events.map(({ version, data }) => [version, (data as { amount: number }).amount])).toEqual([
      [1, 1],
      [2, 1.5],
    ]);
    expect(await lettersOf(stream)).toEqual([]);
  });

  it('keep nothing of an erased entity, including its refused values', async () => {
    const stream = freshStream();
    const query = { event_type: '/kind', entity_id: '/u' };
    const written = await raw(
      stream,
      query,
      '{"kind":"a","u":"ann"}\n{"kind":{},"u":"ann"}\n{"u":"ann",\n{"kind":{},"u":"bob"}',
    );
    expect(written).toMatchObject({ accepted: 1, refused: 3 });
    await read(stream, written);
    expect(await lettersOf(stream)).toHaveLength(3);
    const erased = await system().core.send(
      'DELETE',
      path('/api/v1/entities/ann', { stream, confirm: 'ann' }),
    );
    expect(erased.json()).toMatchObject({ events_erased: 1 });
    const left = await lettersOf(stream);
    expect(left).toHaveLength(1);
    expect(JSON.stringify(left)).not.toContain('ann');
  });

  it('refuse all values with strict handling', async () => {
    const stream = freshStream();
    const answer = await system().write.post(`/api/v1/streams/${stream}/raw?event_type=a`, '{}\n{"a":', {
      headers: { 'content-type': 'application/x-ndjson', prefer: 'handling=strict' },
    });
    expectProblem(answer, 'invalid_json');
    expectProblem(await system().core.get(`/api/v1/streams/${stream}`), 'stream_not_found');
  });
});
