import { describe, expect, it } from 'vitest';
import { makeEvent } from '../sent-event.js';
import { SeededRandom } from '../seeded-random.js';
import { sendConditional, type ConditionalEvent } from './conditional-request.js';

const event = (expected: number | null): ConditionalEvent => ({
  ...makeEvent(new SeededRandom(1), { stream: 's', entityId: 'e' }),
  ...{ entity_id: 'e', expected },
});
const answering = (status: number, body: object) => {
  const requests: { path: string; body: Record<string, unknown> }[] = [];
  const text = JSON.stringify(body);
  const post = async (path: string, sent: string) => {
    requests.push({ path, body: JSON.parse(sent) as Record<string, unknown> });
    return { status, text, headers: {}, json: <T>() => JSON.parse(text) as T };
  };
  return { post, requests };
};
const single = async (status: number, body: object, expected: number | null = 3) => {
  const [answer] = await sendConditional(answering(status, body).post, [event(expected)], { form: 'single' });
  return answer;
};
const position = { partition: 1, offset: 2 };
const conflict = { code: 'version_conflict', status: 412, current_version: 5 };

describe('sendConditional', () => {
  it('sends the expectation, and none for an unconditional event', async () => {
    const { post, requests } = answering(201, { ...position, version: 4 });
    await sendConditional(post, [event(3)], { form: 'single' });
    await sendConditional(post, [event(null)], { form: 'single' });
    expect(requests.map(({ path }) => path)).toEqual(['/api/v1/events', '/api/v1/events']);
    expect(requests.map(({ body }) => body.expected_version)).toEqual([3, undefined]);
  });

  it('reads the answer to a single event', async () => {
    expect(await single(201, { ...position, version: 4 })).toEqual({
      ...{ outcome: 'accepted', version: 4 },
      ...position,
    });
    expect(await single(201, position, null)).toEqual({ outcome: 'accepted', version: null, ...position });
    expect(await single(412, conflict)).toEqual({ outcome: 'refused', current: 5 });
    expect(await single(504, { code: 'undecided' })).toMatchObject({ outcome: 'unknown' });
    expect(await single(429, {})).toMatchObject({ outcome: 'unknown' });
  });

  it('reports an answer that breaks the contract as failed', async () => {
    expect(await single(201, position)).toMatchObject({ outcome: 'failed' });
    expect(await single(201, { version: 4 })).toMatchObject({ outcome: 'failed' });
    expect(await single(412, { code: 'version_conflict' })).toMatchObject({ outcome: 'failed' });
    expect(await single(400, {})).toMatchObject({ outcome: 'failed' });
  });

  it('reads the answer for each event of a batch', async () => {
    const undecided = { code: 'undecided', status: 504 };
    const events = [{ ...position, version: 1 }, { error: conflict, ...position }, { error: undecided }];
    const { post, requests } = answering(207, { events });
    const answers = await sendConditional(post, [event(0), event(1), event(2)], { form: 'batch' });
    expect(requests).toMatchObject([{ path: '/api/v1/events/batch' }]);
    expect(answers).toMatchObject([
      { outcome: 'accepted', version: 1 },
      { outcome: 'refused', current: 5 },
      { outcome: 'unknown' },
    ]);
  });

  it('sends the condition of an atomic batch with its first event', async () => {
    const { post, requests } = answering(412, conflict);
    const answers = await sendConditional(post, [event(3), event(4)], { form: 'atomic' });
    expect(requests).toMatchObject([{ path: '/api/v1/events/batch?atomic=true' }]);
    const sent = requests[0]!.body.events as { expected_version?: number }[];
    expect(sent.map(({ expected_version }) => expected_version)).toEqual([3, undefined]);
    expect(answers).toEqual([1, 2].map(() => ({ outcome: 'refused', current: 5 })));
  });

  it('knows nothing without an answer', async () => {
    const post = () => Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' }));
    expect(await sendConditional(post, [event(0), event(1)], { form: 'batch' })).toEqual([
      { outcome: 'unknown', reason: 'ECONNRESET' },
      { outcome: 'unknown', reason: 'ECONNRESET' },
    ]);
  });
});
