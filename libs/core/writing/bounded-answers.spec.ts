import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

interface Answer {
  events: { error?: { errors: { pointer: string }[] } }[];
}

/** Returns an object with a number of members, all with the same value. */
const members = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

describe('the size of an answer is bounded:', () => {
  it.each([
    ['unknown fields', event(members(5000, 1))],
    ['values in metadata', event({ metadata: members(5000, []) })],
  ])('it lists 20 errors of an event with many %s', async (_name, body) => {
    expect((await given.single(body)).json<ProblemDocument>().errors).toHaveLength(20);
  });

  it('it lists 100 errors of a batch without a written event', async () => {
    const bad = Array.from({ length: 50 }, () => event(members(100, 1)));
    const { errors, detail } = (await given.batch({ events: bad })).json<ProblemDocument>();
    expect(errors).toHaveLength(100);
    expect(detail).toContain('The first 100 of 1000 errors');
  });

  it('it lists about a thousand errors of a partly written batch, and at least one of each event', async () => {
    const bad = Array.from({ length: 200 }, () => event(members(30, 1)));
    const answer = await given.batch({ events: [event(), ...bad] });
    expect(answer.statusCode).toBe(207);
    const counts = answer.json<Answer>().events.map(({ error }) => error?.errors.length ?? 0);
    expect(counts).toEqual([0, ...new Array<number>(50).fill(20), ...new Array<number>(150).fill(1)]);
  });

  it.each([
    ['an unknown field', (name: string) => event({ [name]: 1 })],
    ['metadata', (name: string) => event({ metadata: { [name]: [] } })],
    ['a batch', (name: string) => ({ [name]: 1 })],
  ])('it cuts a long name in %s', async (kind, body) => {
    const sent = body('x'.repeat(100_000));
    const answer = kind === 'a batch' ? await given.batch(sent) : await given.single(sent);
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(1000);
    expect(answer.json<ProblemDocument>().errors?.[0]?.pointer).toMatch(/x…$/);
  });
});
