import { describe, expect, it, vi } from 'vitest';
import { stickyAssignment, type StickyMember } from './sticky-assignment.js';

const topics = new Map([
  ['a', 4],
  ['b', 2],
]);

function member(id: string, more: Partial<StickyMember> = {}): StickyMember {
  return { id, generation: 1, topics: ['a', 'b'], owned: new Map(), ...more };
}

function owns(owned: Record<string, number[]>): Pick<StickyMember, 'owned'> {
  return { owned: new Map(Object.entries(owned)) };
}

function assigned(members: readonly StickyMember[], of = topics) {
  return Object.fromEntries(
    [...stickyAssignment(members, of)].map(([id, partitions]) => [id, Object.fromEntries(partitions)]),
  );
}

describe('the sticky assignment', () => {
  it('spreads unowned partitions evenly over the members, in total and for each topic', () => {
    expect(assigned([member('x'), member('y')])).toEqual({
      x: { a: [0, 2], b: [0] },
      y: { a: [1, 3], b: [1] },
    });
  });

  it('does not depend on the order of the members', () => {
    const members = [member('x', owns({ a: [0, 1, 2, 3] })), member('y'), member('z')];
    expect(assigned(members.toReversed())).toEqual(assigned(members));
  });

  it('keeps the owned partitions when a topic is added, and assigns the new partitions at once', () => {
    const members = [member('x', owns({ a: [0, 3] })), member('y', owns({ a: [1, 2] }))];
    expect(assigned(members)).toEqual({ x: { a: [0, 3], b: [0] }, y: { a: [1, 2], b: [1] } });
  });

  it('assigns a partition that moves to no member until its owner has released it', () => {
    const old = member('x', owns({ a: [0, 1, 2, 3], b: [0, 1] }));
    const before = assigned([old, member('y')]);
    expect(before).toEqual({ x: { a: [0, 1], b: [0] }, y: {} });
    expect(assigned([member('x', owns(before['x']!)), member('y')])).toEqual({
      x: { a: [0, 1], b: [0] },
      y: { a: [2, 3], b: [1] },
    });
  });

  it('assigns the partitions of a departed member to the others, which keep their own', () => {
    const members = [member('x', owns({ a: [0], b: [1] })), member('y', owns({ a: [2], b: [0] }))];
    expect(assigned(members)).toEqual({ x: { a: [0, 1], b: [1] }, y: { a: [2, 3], b: [0] } });
  });

  it('assigns a partition only to a member that subscribes to its topic', () => {
    const members = [member('x', { topics: ['a'] }), member('y'), member('z', { topics: [] })];
    expect(assigned(members)).toEqual({ x: { a: [0, 2, 3] }, y: { a: [1], b: [0, 1] }, z: {} });
  });

  it('assigns a partition that two members claim to the member with the newer generation', () => {
    const stale = member('x', { generation: 3, ...owns({ a: [0] }) });
    const recent = member('y', { generation: 4, ...owns({ a: [0] }) });
    expect(assigned([stale, recent], new Map([['a', 1]]))).toEqual({ x: {}, y: { a: [0] } });
  });

  it('assigns a partition to no member while a member that unsubscribed from its topic still owns it', () => {
    const leaving = member('x', { topics: ['a'], ...owns({ a: [0, 1, 2], b: [0] }) });
    const staying = member('y', owns({ a: [3], b: [1] }));
    expect(assigned([leaving, staying])).toEqual({ x: { a: [0, 1, 2] }, y: { a: [3], b: [1] } });
    const left = { ...leaving, ...owns({ a: [0, 1, 2] }) };
    expect(assigned([left, staying])).toEqual({ x: { a: [0, 1, 2] }, y: { a: [3], b: [0, 1] } });
  });

  it('ignores claims of partitions that do not exist or whose topic is not subscribed', () => {
    const members = [member('x', { topics: ['a'], ...owns({ a: [7], b: [0], gone: [0] }) })];
    expect(assigned(members, new Map([['a', 1]]))).toEqual({ x: { a: [0] } });
  });

  it.each([1, 3])(
    'moves its share to a member that joins %i others with 8000 partitions, with fewer than 15 map lookups per partition',
    (others) => {
      const sizes = new Map(Array.from({ length: 1000 }, (_, i) => [`topic-${i}`, 8]));
      const of = (id: string, owned: StickyMember['owned'] = new Map()): StickyMember =>
        member(id, { topics: [...sizes.keys()], owned });
      const ids = Array.from({ length: others }, (_, i) => `m${i}`);
      const before = stickyAssignment(
        ids.map((id) => of(id)),
        sizes,
      );
      const old = ids.map((id) => of(id, before.get(id)));
      const lookups = vi.spyOn(Map.prototype, 'get');
      let left: ReturnType<typeof stickyAssignment>;
      let work: number;
      try {
        left = stickyAssignment([...old, of('new')], sizes);
        work = lookups.mock.calls.length;
      } finally {
        lookups.mockRestore();
      }
      expect(work).toBeLessThan(8000 * 15);
      const kept = ids.map((id) => of(id, left.get(id)));
      const quota = 8000 / (others + 1);
      for (const one of kept) expect(Math.abs(sizeOf(one) - quota)).toBeLessThan(1);
      const given = stickyAssignment([...kept, of('new')], sizes);
      for (const one of kept) expect(sorted(given.get(one.id)!)).toEqual(sorted(one.owned));
      expect(Math.abs(sizeOf(of('new', given.get('new'))) - quota)).toBeLessThan(1);
    },
  );

  it('converges: the counts are balanced, each partition has one owner, and no partition moves any more', () => {
    const random = generator(20_261);
    for (let round = 0; round < 300; round++) {
      const sizes = new Map([...'abcde'].map((topic) => [topic, 1 + random(8)]));
      let members = Array.from({ length: 1 + random(5) }, (_, i) => {
        const own = [...'abcde'].filter(() => random(4) > 0);
        return member(`m${i}`, { topics: own });
      });
      let moves = Infinity;
      for (let generation = 1; moves > 0 && generation < 7; generation++) {
        const given = stickyAssignment(members, sizes);
        moves = movesBetween(members, given);
        members = members.map((one) => ({ ...one, generation, owned: given.get(one.id)! }));
        if (generation === 1) members = members.slice(random(2));
      }
      expect(moves).toBe(0);
      for (const [topic, count] of sizes) {
        const holders = members.flatMap(({ owned }) => owned.get(topic) ?? []);
        const wanted = members.some((one) => one.topics.includes(topic)) ? count : 0;
        expect(holders.sort((a, b) => a - b)).toEqual(Array.from({ length: wanted }, (_, i) => i));
      }
      for (const rich of members)
        for (const poor of members)
          if ([...rich.owned.keys()].some((topic) => poor.topics.includes(topic)))
            expect(sizeOf(rich) - sizeOf(poor)).toBeLessThan(2);
    }
  });
});

function movesBetween(
  members: readonly StickyMember[],
  given: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>,
): number {
  return members.filter((one) => {
    const now = given.get(one.id) ?? new Map<string, readonly number[]>();
    return JSON.stringify(sorted(one.owned)) !== JSON.stringify(sorted(now));
  }).length;
}

function sorted(partitions: ReadonlyMap<string, readonly number[]>): [string, number[]][] {
  return [...partitions]
    .map(([topic, own]): [string, number[]] => [topic, [...own].sort((a, b) => a - b)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function sizeOf({ owned }: StickyMember): number {
  return [...owned.values()].reduce((sum, { length }) => sum + length, 0);
}

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}
