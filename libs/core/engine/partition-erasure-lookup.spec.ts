import { describe, expect, it } from 'vitest';
import { MemoryErasures } from './memory-erasures.js';
import { PartitionErasureLookup } from './erasures.js';

const place = { stream: 'orders#1' as const, partition: 1 };

describe('PartitionErasureLookup', () => {
  it('follow the definitions immediately, including later erasures of the same entity', () => {
    const all = new MemoryErasures();
    const erasures = new PartitionErasureLookup(all, place);
    expect(erasures.endOf('ann')).toBe(0);
    all.erase('orders', 'ann', 7);
    expect([erasures.endOf('ann'), erasures.endOf('bob')]).toEqual([7, 0]);
    all.erase('orders', 'ann', 9);
    expect(erasures.endOf('ann')).toBe(9);
  });

  it('compute no hash for a stream without erasures', () => {
    const all = new MemoryErasures();
    all.erase('others', 'ann', 7);
    expect([new PartitionErasureLookup(all, place).endOf('ann'), all.asked]).toEqual([0, 0]);
  });

  it('compute one hash for each entity, and cache a bounded number of them', () => {
    const all = new MemoryErasures();
    all.erase('orders', 'ann', 7);
    const erasures = new PartitionErasureLookup(all, place);
    for (let i = 0; i < 5; i++) erasures.endOf('ann');
    expect(all.asked).toBe(1);
    for (let i = 0; i < 20_000; i++) erasures.endOf(`entity-${i}`);
    erasures.endOf('ann');
    expect(all.asked).toBe(20_002);
    expect(erasures.endOf('ann')).toBe(7);
  });
});
