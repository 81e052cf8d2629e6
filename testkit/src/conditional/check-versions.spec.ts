import { describe, expect, it } from 'vitest';
import type { ObservedEvent } from '../checker.js';
import { SeededRandom } from '../seeded-random.js';
import type { Attempt } from './attempt.js';
import { checkVersions } from './check-versions.js';

interface ConditionalRun {
  attempts: Attempt[];
  stored: ObservedEvent[];
}
type Times = [invoked: number, returned: number];
type Versions = [expected: number | null, answered: number];

const ofEntity = { stream: 's', entity_id: 'e', hash: 'h' };
const attemptOf = (event_id: string, expected: number | null, [invoked, returned]: Times) => ({
  ...{ ...ofEntity, event_id, expected, invoked, returned },
});
/** Returns an accepted attempt. `versions` are the expected version and the version in the answer. */
const accepted = (id: string, versions: number | Versions, times: Times): Attempt => {
  const [expected, version] = typeof versions === 'number' ? [versions, versions + 1] : versions;
  return {
    ...{ ...attemptOf(id, expected, times), outcome: 'accepted' },
    ...{ version: expected === null ? null : version, partition: 1, offset: 10 * version },
  };
};
const refused = (id: string, [expected, current]: [number, number], times: Times): Attempt => ({
  ...{ ...attemptOf(id, expected, times), outcome: 'refused', current },
});
const unknown = (id: string, expected: number | null, times: Times): Attempt => ({
  ...{ ...attemptOf(id, expected, times), outcome: 'unknown', reason: '504' },
});
const stored = (event_id: string, version: number): ObservedEvent => ({
  ...{ ...ofEntity, event_id, version, partition: 1, offset: 10 * version },
});

/**
 * A correct run: the events a, b, c and d have versions 1 to 4. `late` was refused because version 2 existed already,
 * `c` was repeated, and no client got an answer for `d`.
 */
const cleanRun = (): ConditionalRun => ({
  attempts: [
    accepted('a', 0, [0, 10]),
    accepted('b', 1, [11, 20]),
    refused('late', [1, 2], [12, 22]),
    unknown('c', 2, [23, 30]),
    accepted('c', 2, [31, 40]),
    unknown('d', 3, [41, 50]),
    refused('after', [2, 4], [60, 70]),
  ],
  stored: [stored('a', 1), stored('b', 2), stored('c', 3), stored('d', 4)],
});
const find = <T extends { event_id: string }>(list: T[], id: string): T =>
  list.find(({ event_id }) => event_id === id)!;
const kindsAfter = (spoil: (run: ConditionalRun) => void): string[] => {
  const run = cleanRun();
  spoil(run);
  return [...new Set(checkVersions(run.attempts, run.stored).map(({ kind }) => kind))].sort();
};

describe('checkVersions', () => {
  it('reports nothing for a correct run, in any order of the lists', () => {
    expect(kindsAfter(() => undefined)).toEqual([]);
    expect(kindsAfter((run) => [run.attempts, run.stored].map((list) => list.reverse()))).toEqual([]);
  });

  it('reports an atomic batch of which only some events are stored, or with another event in between', () => {
    const group = ['x', 'y'];
    const both = (run: ConditionalRun, versions: [number, number]) => {
      run.attempts.push({ ...unknown('x', 4, [80, 90]), group }, { ...unknown('y', 5, [80, 90]), group });
      group.forEach((id, i) => run.stored.push({ ...stored(id, versions[i]!), offset: 50 + i }));
    };
    expect(kindsAfter((run) => both(run, [5, 6]))).toEqual([]);
    expect(
      kindsAfter((run) => {
        both(run, [5, 6]);
        run.stored.pop();
      }),
    ).toEqual(['half of a batch']);
    expect(
      kindsAfter((run) => {
        both(run, [5, 6]);
        run.stored.at(-1)!.offset = 52;
      }),
    ).toEqual(['half of a batch']);
  });

  it('expects no reason for the refusal of a later event of an atomic batch', () => {
    const later = { ...refused('y', [4, 4], [60, 70]), group: ['x', 'y'] };
    expect(kindsAfter(({ attempts }) => attempts.push(later))).toEqual([]);
  });

  it('reports two events that were accepted at one version', () => {
    const second = (run: ConditionalRun) => run.attempts.push(accepted('x', 1, [11, 20]));
    expect(kindsAfter(second)).toEqual(['lost', 'two at one version']);
    const storedToo = (run: ConditionalRun) => {
      second(run);
      run.stored.push({ ...stored('x', 2), offset: 21 });
    };
    expect(kindsAfter(storedToo)).toContain('two at one version');
  });

  it('reports an accepted event that is missing', () => {
    expect(kindsAfter(({ stored }) => stored.splice(2, 1))).toEqual(['lost', 'version gap']);
    const last = (run: ConditionalRun) => {
      Object.assign(find(run.attempts, 'd'), accepted('d', 3, [41, 50]));
      run.attempts.pop();
      run.stored.pop();
    };
    expect(kindsAfter(last)).toEqual(['lost']);
  });

  it('reports an event that was refused but is stored', () => {
    const alone = (run: ConditionalRun) => {
      run.attempts.push(refused('x', [4, 3], [80, 90]));
      run.stored.push(stored('x', 5));
    };
    expect(kindsAfter(alone)).toContain('refused but stored');
  });

  it('reports an event that was stored before it was refused', () => {
    const repeat = ({ attempts }: ConditionalRun) => attempts.push(refused('b', [1, 4], [80, 90]));
    expect(kindsAfter(repeat)).toEqual(['changed answer']);
    const afterUnknown = ({ attempts }: ConditionalRun) => attempts.push(refused('d', [3, 4], [80, 90]));
    expect(kindsAfter(afterUnknown)).toEqual(['changed answer']);
  });

  it('reports a refusal at the expected version', () => {
    expect(kindsAfter(({ attempts }) => attempts.push(refused('x', [4, 4], [60, 70])))).toEqual([
      'refused without a reason',
    ]);
  });

  it('reports a refusal of an unconditional event', () => {
    const plain = { ...attemptOf('x', null, [60, 70]), outcome: 'refused', current: 4 } as const;
    expect(kindsAfter(({ attempts }) => attempts.push(plain))).toEqual(['refused without a reason']);
  });

  it('reports a refusal at a version that was never current', () => {
    expect(kindsAfter(({ attempts }) => attempts.push(refused('x', [3, 5], [60, 70])))).toEqual([
      'refused without a reason',
    ]);
  });

  it('reports a refusal at a version that was not current any more', () => {
    expect(kindsAfter(({ attempts }) => attempts.push(refused('x', [0, 1], [21, 22])))).toEqual([
      'refused without a reason',
    ]);
  });

  it('reports a refusal at a version that was not current yet', () => {
    expect(kindsAfter(({ attempts }) => attempts.push(refused('x', [0, 2], [5, 10])))).toEqual([
      'refused without a reason',
    ]);
  });

  it('reports versions in another order than the events were acknowledged in', () => {
    const backwards = ({ attempts }: ConditionalRun) =>
      Object.assign(find(attempts, 'a'), { invoked: 21, returned: 22 });
    expect(kindsAfter(backwards)).toContain('reordered');
  });

  it('reports two refusals that contradict each other although each agrees with the versions', () => {
    const contradiction = ({ attempts }: ConditionalRun) =>
      attempts.push(refused('x', [9, 4], [44, 45]), refused('y', [9, 3], [46, 48]));
    expect(kindsAfter(contradiction)).toEqual(['reordered']);
  });

  it('reports an answer with another version than the stored one', () => {
    const other = ({ attempts }: ConditionalRun) => Object.assign(find(attempts, 'b'), { version: 4 });
    expect(kindsAfter(other)).toEqual(['two at one version', 'wrong version']);
  });

  it('reports a repeat that got another version', () => {
    expect(kindsAfter(({ attempts }) => attempts.push(accepted('b', [1, 5], [80, 90])))).toEqual([
      'wrong version',
    ]);
  });

  it('reports an event that was stored at a version that it did not expect', () => {
    const other = ({ attempts }: ConditionalRun) => Object.assign(find(attempts, 'd'), { expected: 7 });
    expect(kindsAfter(other)).toEqual(['accepted without a reason']);
  });

  it('reports an event that was acknowledged before the attempt that explains its version was sent', () => {
    const early = ({ attempts }: ConditionalRun) => attempts.unshift(accepted('d', [7, 4], [41, 42]));
    const withAnswer = (run: ConditionalRun) => {
      early(run);
      Object.assign(find(run.attempts.slice(1), 'd'), { invoked: 43 });
    };
    expect(kindsAfter(early)).toEqual([]);
    expect(kindsAfter(withAnswer)).toEqual(['accepted without a reason']);
  });

  it('reports an unconditional event that is stored twice, with another event in between', () => {
    const twice = (run: ConditionalRun) => {
      run.attempts.push(unknown('x', null, [71, 72]), accepted('x', [null, 5], [73, 80]));
      run.attempts.push(accepted('y', [null, 6], [71, 80]));
      run.stored.push(stored('x', 5), stored('y', 6), stored('x', 7));
    };
    expect(kindsAfter(twice)).toContain('duplicate');
  });

  it('reports a stored event that was never sent, is stored twice, or differs', () => {
    expect(kindsAfter(({ stored }) => (find(stored, 'd').event_id = 'x'))).toEqual(['phantom']);
    expect(kindsAfter(({ stored: list }) => list.push({ ...stored('d', 5), offset: 50 }))).toContain(
      'duplicate',
    );
    expect(kindsAfter(({ stored }) => (find(stored, 'a').hash = 'other'))).toEqual(['wrong data']);
    expect(kindsAfter(({ stored }) => (find(stored, 'a').entity_id = 'other'))).toContain('phantom');
  });

  it('reports versions with a gap, in another order than the log, or in several partitions', () => {
    const gap = ({ attempts, stored }: ConditionalRun) => {
      find(stored, 'd').version = 5;
      find(attempts, 'd').expected = 4;
      attempts.pop();
    };
    expect(kindsAfter(gap)).toEqual(['version gap']);
    expect(kindsAfter(({ stored }) => (find(stored, 'd').offset = 29))).toEqual(['reordered']);
    expect(kindsAfter(({ stored }) => (find(stored, 'd').partition = 2))).toEqual(['reordered']);
  });

  it('reports an event at another position than the acknowledged one; a repeat is acknowledged at a later one', () => {
    const at = (offset: number) => (run: ConditionalRun) =>
      Object.assign(find(run.attempts, 'b'), { offset });
    expect(kindsAfter(at(19))).toEqual(['wrong data']);
    expect(kindsAfter(at(25))).toEqual([]);
  });

  it('reports an unexpected answer', () => {
    const bad = { ...attemptOf('x', 0, [0, 1]), outcome: 'failed', reason: '400' } as const;
    expect(kindsAfter(({ attempts }) => attempts.push(bad))).toEqual(['unexpected answer']);
  });

  it('allows an unknown event to be missing, or to be stored long after it was given up', () => {
    expect(kindsAfter(({ attempts }) => attempts.push(unknown('x', 1, [5, 6])))).toEqual([]);
    const later = (run: ConditionalRun) => {
      run.attempts.push(unknown('x', 4, [5, 6]));
      run.stored.push(stored('x', 5));
    };
    expect(kindsAfter(later)).toEqual([]);
  });

  it('allows a refused event to be accepted with another expectation later, but not before', () => {
    const again = (times: Times) => (run: ConditionalRun) => {
      run.attempts.push(refused('x', [2, 3], [45, 55]), accepted('x', 4, times));
      run.stored.push(stored('x', 5));
    };
    expect(kindsAfter(again([71, 80]))).toEqual([]);
    expect(kindsAfter(again([35, 44]))).toEqual(['refused without a reason']);
  });

  it('allows unconditional events between conditional ones', () => {
    const plain = (run: ConditionalRun) => {
      run.attempts.push(accepted('x', [null, 5], [71, 80]));
      run.stored.push(stored('x', 5));
    };
    expect(kindsAfter(plain)).toEqual([]);
  });

  it('agrees with a search over all orders', () => {
    const random = new SeededRandom(20);
    const seen = { right: 0, wrong: 0 };
    for (let i = 0; i < 5_000; i++) {
      const run = anyRun(random);
      const right = searchFindsOrder(run);
      seen[right ? 'right' : 'wrong']++;
      if ((checkVersions(run.attempts, run.stored).length === 0) !== right) expect.fail(JSON.stringify(run));
    }
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(500);
  });
});

/**
 * Returns a random run: up to four stored events, of which the last may have an unknown outcome, and up to three
 * refused attempts, at any times.
 */
function anyRun(random: SeededRandom): ConditionalRun {
  const times = (): Times => {
    const [a, b] = [random.int(30), random.int(30)];
    return [Math.min(a, b), Math.max(a, b) + 0.5];
  };
  const versions = random.int(4);
  const run: ConditionalRun = { attempts: [], stored: [] };
  for (let version = 1; version <= versions; version++) {
    const expected = random.chance(0.2) ? null : version - 1;
    const shift = random.chance(0.8) ? version * 12 : 0;
    const [from, to] = times();
    const later: Times = [from + shift, to + shift];
    const id = `v${version}`;
    run.attempts.push(
      random.chance(0.2) ? unknown(id, expected, later) : accepted(id, [expected, version], later),
    );
    run.stored.push(stored(`v${version}`, version));
  }
  for (let i = random.int(4); i > 0; i--) {
    const current = random.int(versions + 1);
    const [from, to] = times();
    run.attempts.push(refused(`r${i}`, [current + 1, current], [from + current * 12, to + current * 12]));
  }
  return run;
}

/**
 * Returns whether the attempts can be put into an order that agrees with real time and in which a register gives the
 * same answers.
 */
function searchFindsOrder({ attempts, stored }: ConditionalRun): boolean {
  const idAt = new Map(stored.map(({ version, event_id }) => [version!, event_id]));
  const ends = (attempt: Attempt) => (attempt.outcome === 'unknown' ? Infinity : attempt.returned);
  const search = (rest: readonly Attempt[], version: number): boolean =>
    rest.length === 0 ||
    rest.some((attempt) => {
      const others = rest.filter((other) => other !== attempt);
      if (others.some((other) => ends(other) < attempt.invoked)) return false;
      if (attempt.outcome === 'refused')
        return attempt.current === version && attempt.expected !== version && search(others, version);
      const expected = attempt.expected ?? version;
      return (
        expected === version && idAt.get(version + 1) === attempt.event_id && search(others, version + 1)
      );
    });
  return search(attempts, 0);
}
