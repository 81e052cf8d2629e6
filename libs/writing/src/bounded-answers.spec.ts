import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { event, givenIngest, type GivenIngest } from './writing.fixture.js';

interface Answer {
  events: { error?: { errors: { pointer: string }[] } }[];
}

/** An object of so many members with the same value. */
const members = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

let given: GivenIngest;
beforeEach(async () => void (given = await givenIngest()));
afterEach(() => given.close());

describe('an answer stays small, whatever was wrong:', () => {
  it.each([
    ['unknown fields', event(members(5000, 1))],
    ['values in metadata', event({ metadata: members(5000, []) })],
  ])('20 of an event with many %s', async (_name, body) => {
    expect((await given.single(body)).json<ProblemDocument>().errors).toHaveLength(20);
  });

  it('100 of a batch of which nothing was written', async () => {
    const bad = Array.from({ length: 50 }, () => event(members(100, 1)));
    const { errors, detail } = (await given.batch({ events: bad })).json<ProblemDocument>();
    expect(errors).toHaveLength(100);
    expect(detail).toContain('The first 100 of 1000 errors');
  });

  it('some thousand of a batch of which a part was written, and one at least of each event', async () => {
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
  ])('a long name in %s is cut', async (kind, body) => {
    const sent = body('x'.repeat(100_000));
    const answer = kind === 'a batch' ? await given.batch(sent) : await given.single(sent);
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(1000);
    expect(answer.json<ProblemDocument>().errors?.[0]?.pointer).toMatch(/x…$/);
  });
});
