import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntityStateAccumulator } from './entity-state-accumulator.js';

const keyOf = (n: number) => ({ partition: 0, offset: n, timestamp: 100 - n, ingested_at: n });

describe('a folded entity', () => {
  it('has the same content if events are folded at once, later, or after a snapshot', () => {
    const event = fc.record({
      data: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(null, 1, { x: 1 }, { y: null })),
      isLater: fc.boolean(),
      isSaved: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), (events) => {
        const atOnce = new EntityStateAccumulator();
        let mixed = new EntityStateAccumulator();
        for (const [i, { data, isLater, isSaved }] of events.entries()) {
          const text = JSON.stringify(data);
          atOnce.add(text, i + 1, keyOf(i));
          if (isLater) mixed.addLater(text, i + 1, keyOf(i));
          else mixed.add(text, i + 1, keyOf(i));
          if (!isSaved) continue;
          const saved = { stream: 's', entity_id: 'e', created_at: 0, reason: 'automatic' } as const;
          mixed = new EntityStateAccumulator({ ...saved, ...mixed.content()! });
        }
        expect(mixed.content()).toEqual(atOnce.content());
        expect(mixed.content()).toMatchObject({
          ...{ version: events.length, first: keyOf(0), last: keyOf(events.length - 1) },
          latest_timestamp: 100,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('keeps few characters in memory, however many events it has', () => {
    const entity = new EntityStateAccumulator();
    for (let i = 0; i < 500; i++) entity.addLater(`{"k${i % 5}":"${'x'.repeat(200)}"}`, i + 1, keyOf(i));
    expect(entity.characters).toBeLessThan(40_000);
    expect(entity.content()?.state).toHaveLength(5 * 207 + 6);
  });

  it('has no content before the first event, or if its state is too large', () => {
    const entity = new EntityStateAccumulator();
    expect(entity.content()).toBeUndefined();
    const large = (name: string) => `{"${name}":"${'x'.repeat(600_000)}"}`;
    expect(entity.add(large('a'), 1, keyOf(0))).toBe(true);
    expect(entity.add(large('b'), 2, keyOf(1))).toBe(false);
    expect(entity.content()).toBeUndefined();
  });
});
