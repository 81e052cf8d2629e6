import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionList, type OpenSession } from './session-list.js';

const session = (start: number, last: number, size = 1): OpenSession => ({
  ...{ start, last, size },
  ...{ fold: [], events: 1 },
});

/** Returns a `SessionList` to which the sessions were added one by one. */
const listOf = (sessions: readonly OpenSession[]) =>
  sessions.reduce((list, one) => list.with(one, []), SessionList.none);

/** Arbitrary lists of sessions of any length, which may overlap. */
const sessions = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20 }), fc.nat(9))
    .map(([start, length, size]) => session(start, start + length, size)),
  { minLength: 1, maxLength: 12 },
);
const times = fc.integer({ min: -5, max: 80 });

describe('the sessions of a key', () => {
  it('are sorted by start, and have the total size and the earliest last event', () => {
    fc.assert(
      fc.property(sessions, (given) => {
        const list = listOf(given);
        expect(list.state.sessions).toEqual([...given].sort((a, b) => a.start - b.start));
        expect(list.size).toBe(given.reduce((sum, { size }) => sum + size, 0));
        expect(list.earliestLast).toBe(Math.min(...given.map(({ last }) => last)));
      }),
    );
  });

  it('can be searched by time', () => {
    fc.assert(
      fc.property(sessions, times, times, (given, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const list = listOf(given);
        const expected = list.state.sessions.filter(({ start, last }) => start <= to && last >= from);
        expect(list.between(from, to)).toEqual(expected);
      }),
    );
  });

  it('can be replaced by one session that contains them', () => {
    fc.assert(
      fc.property(sessions, times, times, (given, a, b) => {
        const list = listOf(given);
        const parts = list.between(Math.min(a, b), Math.max(a, b));
        const one = session(
          Math.min(a, ...parts.map(({ start }) => start)),
          Math.max(a, ...parts.map(({ last }) => last)),
        );
        const joined = list.with(one, parts);
        const expected = [...list.state.sessions.filter((other) => !parts.includes(other)), one];
        expect(joined.state.sessions).toEqual(expected.sort((x, y) => x.start - y.start));
        expect(joined.size).toBe(expected.reduce((sum, { size }) => sum + size, 0));
        expect(SessionList.of(joined.state).between(a, b)).toEqual(joined.between(a, b));
      }),
    );
  });

  it('can be split by the time of their last event', () => {
    fc.assert(
      fc.property(sessions, times, (given, time) => {
        const list = listOf(given);
        const { ended, others } = list.split(time);
        expect(ended).toEqual(list.state.sessions.filter(({ last }) => last <= time));
        expect(others.state.sessions).toEqual(list.state.sessions.filter(({ last }) => last > time));
        expect(others.size + ended.reduce((sum, { size }) => sum + size, 0)).toBe(list.size);
      }),
    );
  });
});
