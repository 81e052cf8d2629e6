import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFold, type FoldState } from './compile-fold.js';
import { event as eventWith } from './event.fixture.js';
import type { FoldEvent } from './fold-event.js';
import { historyLimits, StateHistory } from './state-history.js';

const fold = compileFold({
  n: { op: 'count' },
  last: { op: 'last', value: 'event.data.v' },
  all: { op: 'collect', value: 'event.data.v' },
});

interface Known {
  event: FoldEvent;
  time: number;
  known: number;
}

function eventAt([time, known]: readonly [number, number], offset: number, value: unknown = offset): Known {
  const event = eventWith(JSON.stringify({ v: value }), { timestamp: time, offset });
  return { event, time, known };
}

const added = (state: FoldState, { event }: Known) => fold.add(state, event).state!;
const modelOf = (events: readonly Known[], { time, known }: { time: number; known: number }) => {
  const before = events.filter((one) => one.time <= time && one.known <= known);
  return before.length === 0 ? undefined : fold.result(before.reduce(added, fold.empty));
};

function historyOf(
  events: readonly Known[],
  until: (event: Known) => number = () => -Infinity,
): StateHistory {
  let history = StateHistory.from();
  for (const one of events) {
    history.add(one, added(fold.empty, one), { fold, until: until(one) });
    history = StateHistory.from(JSON.stringify(history));
  }
  return history;
}

function answerOf(history: StateHistory, asOf: { time: number; known: number }) {
  const answer = history.stateAsOf(asOf, fold);
  return 'since' in answer ? answer : answer.state && fold.result(answer.state);
}

describe('the history of a key', () => {
  it('returns for each time the fold of the events that had happened and had been ingested by then', () => {
    const arrivals = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 3 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(arrivals, fc.nat(12), fc.nat(40), (times, time, known) => {
        let clock = 0;
        const events = times.map(([at, later], i) => eventAt([at, (clock += later)], i));
        const asOf = { time, known };
        expect(answerOf(historyOf(events), asOf)).toEqual(modelOf(events, asOf));
      }),
    );
  });

  it('never answers otherwise later: it says the same, or that the history begins after that time', () => {
    const arrivals = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 3 })), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(arrivals, fc.nat(10), fc.tuple(fc.nat(40), fc.nat(40)), (times, length, [time, known]) => {
        let clock = 0;
        const events = times.map(([at, later], i) => eventAt([at, (clock += later)], i));
        const asOf = { time, known };
        const answer = answerOf(
          historyOf(events, (one) => one.known - length),
          asOf,
        );
        if (typeof answer === 'object') expect(Math.min(time, known)).toBeLessThan(answer.since);
        else expect(answer).toEqual(modelOf(events, asOf));
      }),
    );
  });

  it('answers for its whole length', () => {
    const events = Array.from({ length: 100 }, (_, i) => eventAt([i, i], i));
    const history = historyOf(events, ({ known }) => known - 10);
    expect(answerOf(history, { time: 89, known: 99 })).toEqual(modelOf(events, { time: 89, known: 99 }));
    expect(answerOf(history, { time: 88, known: 99 })).toEqual({ since: 89 });
  });

  it('keeps at most 1 000 events and 128 Ki characters, and begins later then', () => {
    const many = Array.from({ length: historyLimits.events + 1 }, (_, i) => eventAt([i, i], i));
    const short = historyOf(many);
    expect(answerOf(short, { time: 0, known: 0 })).toEqual({ since: 499 });
    expect(answerOf(short, { time: 499, known: 2000 })).toEqual(modelOf(many, { time: 499, known: 2000 }));
    const large = Array.from({ length: 9 }, (_, i) => eventAt([i, i], i, 'x'.repeat(8_000)));
    const history = historyOf(large);
    expect(JSON.stringify(history).length).toBeLessThan(2 * historyLimits.characters);
    expect(answerOf(history, { time: 2, known: 2 })).toEqual({ since: 3 });
    expect(answerOf(history, { time: 8, known: 8 })).toEqual(modelOf(large, { time: 8, known: 8 }));
  });

  it('has no state before the first event, and none of a key without events', () => {
    expect(answerOf(historyOf([eventAt([5, 5], 0)]), { time: 4, known: 9 })).toBeUndefined();
    expect(answerOf(StateHistory.from(), { time: 4, known: 9 })).toBeUndefined();
  });
});
