import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IngestionClock, ingestionDisorder } from './ingestion-clock.js';

it('an event counts as ingested after every time up to which all events had been read', () => {
  const step = fc.record({
    ingested: fc.integer({ min: 0, max: 20 * ingestionDisorder }),
    claim: fc.option(fc.integer({ min: 0, max: 20 * ingestionDisorder }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const clock = new IngestionClock(null);
      for (const { ingested, claim } of steps) {
        if (claim !== undefined) clock.advance(claim);
        const read = clock.time ?? -Infinity;
        const known = clock.read(ingested, Infinity);
        expect(known).toBeGreaterThan(read);
        expect(known).toBeGreaterThanOrEqual(ingested);
        expect(clock.time).toBeGreaterThanOrEqual(Math.max(read, ingested - ingestionDisorder));
      }
    }),
  );
});

it('events that are out of order by less than a second count as ingested when they were', () => {
  const clock = new IngestionClock(null);
  const times = [5_000_000, 4_000_001, 5_500_000, 4_900_000];
  expect(times.map((time) => clock.read(time, Infinity))).toEqual(times);
});

it('an event from a writer whose clock is ahead does not advance the time of the others', () => {
  const clock = new IngestionClock(null);
  const now = 10_000_000;
  expect(clock.read(3_600_000_000, now)).toBe(3_600_000_000);
  expect(clock.read(now, now)).toBe(now);
});
