import { describe, expect, it } from 'vitest';
import { FetchSession } from './fetch-session.js';

interface Position {
  topic: string;
  partition: number;
  next: number;
}

const position = (topic: string, next = 0): Position => ({ topic, partition: 0, next });
const ok = { errorCode: 0, sessionId: 7 };
const topicsOf = (list: readonly { topic: string }[]): string[] => list.map(({ topic }) => topic);

/** Returns a session over these partitions that the broker has accepted. */
function granted(...positions: Position[]): FetchSession<Position> {
  const session = new FetchSession<Position>();
  for (const one of positions) session.want(one);
  session.next();
  session.answered(ok);
  return session;
}

describe('a fetch session', () => {
  it('names every partition once, and then no unchanged partition', () => {
    const session = new FetchSession<Position>();
    const many = Array.from({ length: 500 }, (_, i) => position(`t${i}`));
    for (const one of many) session.want(one);
    const first = session.next();
    expect([first.sessionId, first.sessionEpoch, first.positions.length]).toEqual([0, 0, 500]);
    session.answered(ok);
    for (const epoch of [1, 2, 3]) {
      expect(session.next()).toEqual({ sessionId: 7, sessionEpoch: epoch, positions: [], forgotten: [] });
      session.answered(ok);
    }
  });

  it('names a partition again after its offset has changed', () => {
    const [a, b] = [position('a'), position('b')];
    const session = granted(a, b);
    a.next = 5;
    session.want(a);
    expect(session.next().positions).toEqual([{ topic: 'a', partition: 0, offset: 5 }]);
  });

  it('removes a paused partition at the broker, and adds it again when it is wanted', () => {
    const [a, b] = [position('a'), position('b')];
    const session = granted(a, b);
    session.pause(a);
    expect([session.size, session.hasPaused]).toEqual([1, true]);
    const without = session.next();
    expect([without.positions, topicsOf(without.forgotten)]).toEqual([[], ['a']]);
    session.answered(ok);
    session.want(a);
    const again = session.next();
    expect([topicsOf(again.positions), again.forgotten, session.hasPaused]).toEqual([['a'], [], false]);
  });

  it('does not name a partition that was paused and is wanted again before the next request', () => {
    const a = position('a');
    const session = granted(a);
    session.pause(a);
    session.want(a);
    expect(session.next()).toMatchObject({ positions: [], forgotten: [] });
  });

  it('names a partition again when another object replaces it, and ignores the drop of an unknown object', () => {
    const session = granted(position('a', 3), position('b'));
    session.want(position('a', 3));
    expect(topicsOf(session.next().positions)).toEqual(['a']);
    session.answered(ok);
    const stranger = position('a', 3);
    session.drop(stranger);
    expect(session.next()).toMatchObject({ positions: [], forgotten: [] });
  });

  it('ignores answers for a partition that was dropped, or whose offset has changed since the request', () => {
    const [a, b, c] = [position('a'), position('b'), position('c')];
    const session = granted(a, b, c);
    session.drop(a);
    b.next = 9;
    expect(['a', 'b', 'c'].map((topic) => session.asked({ topic, partition: 0 }))).toEqual([
      undefined,
      undefined,
      c,
    ]);
  });

  it('names all partitions again if the broker no longer knows the session', () => {
    const session = granted(position('a'), position('b'));
    session.next();
    expect(session.answered({ errorCode: 70, sessionId: 0 })).toBe(false);
    const full = session.next();
    expect([full.sessionId, full.sessionEpoch, topicsOf(full.positions)]).toEqual([0, 0, ['a', 'b']]);
  });

  it('replaces its session if the broker has another epoch, or after a missing response', () => {
    const session = granted(position('a'));
    session.next();
    expect(session.answered({ errorCode: 71, sessionId: 0 })).toBe(false);
    expect(session.next()).toMatchObject({ sessionId: 7, sessionEpoch: 0, positions: [{ topic: 'a' }] });
    session.answered({ errorCode: 0, sessionId: 8 });
    session.next();
    session.lost();
    expect(session.next()).toMatchObject({ sessionId: 8, sessionEpoch: 0, positions: [{ topic: 'a' }] });
  });

  it('names all partitions each time, in rotation, if the broker has no room for another session', () => {
    const [a, b] = [position('a'), position('b')];
    const session = new FetchSession<Position>();
    for (const one of [a, b]) session.want(one);
    session.next();
    session.answered({ errorCode: 0, sessionId: 0 });
    a.next = 4;
    session.want(a);
    const next = session.next();
    expect([next.sessionEpoch, topicsOf(next.positions)]).toEqual([0, ['b', 'a']]);
  });

  it('is closed at the broker once, and only if it exists', () => {
    const session = granted(position('a'));
    expect(session.ending()).toMatchObject({ sessionId: 7, sessionEpoch: -1, positions: [] });
    expect(session.ending()).toBeUndefined();
    expect(new FetchSession<Position>().ending()).toBeUndefined();
  });

  it('is closed at the broker even after a missing response', () => {
    const session = granted(position('a'));
    session.next();
    session.lost();
    expect(session.ending()).toMatchObject({ sessionId: 7, sessionEpoch: -1, positions: [] });
  });
});
