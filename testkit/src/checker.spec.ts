import { describe, expect, it } from 'vitest';
import { checkHistory, type ObservedEvent } from './checker.js';
import type { LedgerEntry } from './ledger.js';

/**
 * Returns the history and the stored events of a run with two entities and one event without an entity: every event was
 * acknowledged at its first attempt and read back unchanged.
 */
function cleanRun(): { history: LedgerEntry[]; observed: ObservedEvent[] } {
  const history: LedgerEntry[] = [];
  const observed: ObservedEvent[] = [];
  ['a', 'b', null].forEach((entity_id, partition) => {
    for (let offset = 0; offset < 5; offset++) {
      const shared = { event_id: `${entity_id}-${offset}`, stream: 'orders', entity_id, hash: `h${offset}` };
      history.push({ ...shared, sequence: offset + 1, outcome: 'ok', attempts: 1, partition, offset });
      observed.push({ ...shared, partition, offset, version: entity_id === null ? null : offset + 1 });
    }
  });
  return { history, observed };
}

const kindsAfter = (spoil: (run: ReturnType<typeof cleanRun>) => void) => {
  const run = cleanRun();
  spoil(run);
  return [...new Set(checkHistory(run.history, run.observed).map(({ kind }) => kind))].sort();
};
const find = <T extends { event_id: string }>(list: T[], id: string): T =>
  list.find(({ event_id }) => event_id === id)!;

describe('judge', () => {
  it('reports nothing for a correct run, in any reading order', () => {
    expect(kindsAfter(() => undefined)).toEqual([]);
    expect(kindsAfter(({ observed }) => observed.reverse())).toEqual([]);
  });

  it('reports an acknowledged event that is missing', () => {
    expect(kindsAfter(({ observed }) => observed.splice(4, 1))).toEqual(['lost']);
  });

  it('reports an event that exists twice, at two positions or at the same', () => {
    expect(kindsAfter(({ observed }) => observed.push({ ...observed[12]!, offset: 99 }))).toEqual([
      'duplicate',
    ]);
    expect(kindsAfter(({ observed }) => observed.push({ ...observed[12]! }))).toEqual(['duplicate']);
  });

  it('reports two events at one position', () => {
    expect(
      kindsAfter(({ history, observed }) => {
        find(history, 'null-4').offset = 3;
        find(observed, 'null-4').offset = 3;
      }),
    ).toEqual(['duplicate']);
  });

  it('reports an event that was never sent, and one that was refused', () => {
    const stranger = {
      event_id: 'x',
      stream: 'orders',
      entity_id: null,
      version: null,
      hash: '',
      offset: 70,
    };
    expect(kindsAfter(({ observed }) => observed.push({ ...stranger, partition: 1 }))).toEqual(['phantom']);
    expect(kindsAfter(({ history }) => (find(history, 'null-2').outcome = 'failed'))).toEqual(['phantom']);
  });

  it('reports events of an entity in another order than they were sent', () => {
    expect(
      kindsAfter(({ history }) => {
        find(history, 'a-2').sequence = 4;
        find(history, 'a-3').sequence = 3;
      }),
    ).toEqual(['reordered']);
  });

  it('reports an entity with events in several partitions', () => {
    expect(
      kindsAfter(({ history, observed }) => {
        find(history, 'a-4').partition = 2;
        Object.assign(find(observed, 'a-4'), { partition: 2 });
        find(history, 'a-4').offset = find(observed, 'a-4').offset = 50;
      }),
    ).toEqual(['reordered']);
  });

  it('reports versions with a gap, a repetition, in the wrong order, or without an entity', () => {
    expect(kindsAfter(({ observed }) => (find(observed, 'a-4').version = 6))).toEqual(['version gap']);
    expect(kindsAfter(({ observed }) => (find(observed, 'a-4').version = 4))).toEqual(['version gap']);
    expect(kindsAfter(({ observed }) => (find(observed, 'a-4').version = null))).toEqual(['version gap']);
    expect(kindsAfter(({ observed }) => (find(observed, 'null-1').version = 1))).toEqual(['version gap']);
    expect(
      kindsAfter(({ observed }) => {
        find(observed, 'b-1').version = 3;
        find(observed, 'b-2').version = 2;
      }),
    ).toEqual(['version gap']);
  });

  it('reports other data, another stream or another entity than was sent', () => {
    expect(kindsAfter(({ observed }) => (find(observed, 'a-1').hash = 'other'))).toEqual(['wrong data']);
    expect(kindsAfter(({ observed }) => (find(observed, 'null-1').stream = 'others'))).toEqual([
      'wrong data',
    ]);
  });

  it('reports an event at another position than the acknowledged one', () => {
    expect(kindsAfter(({ history }) => (find(history, 'null-4').offset = 40))).toEqual(['wrong data']);
    expect(kindsAfter(({ history }) => (find(history, 'null-4').partition = 7))).toEqual(['wrong data']);
  });

  it('allows a repeated event before its last acknowledged position, but not after it', () => {
    expect(
      kindsAfter(({ history }) => Object.assign(find(history, 'null-4'), { offset: 40, attempts: 2 })),
    ).toEqual([]);
    expect(
      kindsAfter(({ history }) => Object.assign(find(history, 'null-4'), { offset: 1, attempts: 2 })),
    ).toEqual(['wrong data']);
  });

  it('allows an event with an unknown outcome to exist or not, but not twice', () => {
    const unknown = (run: ReturnType<typeof cleanRun>) => {
      find(run.history, 'null-3').outcome = 'unknown';
    };
    expect(kindsAfter(unknown)).toEqual([]);
    expect(
      kindsAfter((run) => {
        unknown(run);
        run.observed.splice(13, 1);
      }),
    ).toEqual([]);
    expect(
      kindsAfter((run) => {
        unknown(run);
        run.observed.push({ ...find(run.observed, 'null-3'), offset: 30 });
      }),
    ).toEqual(['duplicate']);
  });
});
