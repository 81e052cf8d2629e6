import { describe, expect, it } from 'vitest';
import { viewNames } from './analyst-views.js';

const named = (stream: string, type: string, createdAt = '2026-11-22T00:00:00Z') => ({
  parts: [stream, type],
  createdAt,
});
const names = (...all: ReturnType<typeof named>[]) => [...viewNames(all, ['events']).keys()];

describe('the name of a view', () => {
  it('needs no quotes', () => {
    expect(names(named('orders', 'order.placed'))).toEqual(['orders__order_placed']);
    expect(names(named('eu-orders', 'größe'))).toEqual(['eu_orders__gr__e']);
  });

  it('goes to the older definition, and the other one gets a hash', () => {
    const older = named('orders', 'order-placed', '2026-11-21T00:00:00Z');
    const newer = named('orders', 'order.placed');
    expect(names(newer, older)).toEqual(names(older, newer));
    expect([...viewNames([newer, older], []).values()]).toEqual([older, newer]);
    expect(names(newer, older)[1]).toMatch(/^t_orders__order_placed_[0-9a-f]{12}$/);
  });

  it('starts with a letter, has a limited length, and is not taken', () => {
    expect(names(named('1', 'x'))[0]).toMatch(/^t_1__x_/);
    expect(names(named('x'.repeat(300), 'y'))[0]?.length).toBeLessThan(140);
    expect([...viewNames([{ parts: ['events'], createdAt: '' }], ['events']).keys()]).not.toContain('events');
  });
});
