import { describe, expect, it } from 'vitest';
import { effectsOf } from './index.js';

describe('effectsOf', () => {
  it('returns the streams, projections and webhooks that operators use, with pointers, also in branches', () => {
    const effects = effectsOf([
      { filter: 'true' },
      { enrich: { from: { table: {} }, key: 'event.entity_id', as: 'x' } },
      { enrich: { from: { projection: 'customers' }, key: 'event.entity_id', as: 'y' } },
      { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s', late: { stream: 'late' } } },
      { reduce: { n: { op: 'count' } } },
      {
        branch: [
          { when: 'true', operators: [{ webhook: { url: 'https://EXAMPLE.com', secret_ref: 'SHOP' } }] },
          {
            otherwise: true,
            operators: [{ branch: [{ otherwise: true, operators: [{ emit: { stream: 'out' } }] }] }],
          },
        ],
      },
    ]);
    const inBranch = '/operators/5/branch';
    expect(effects).toEqual([
      { kind: 'ask', projection: 'customers', pointer: '/operators/2/enrich/from/projection' },
      { kind: 'write', stream: 'late', pointer: '/operators/3/window/late/stream' },
      {
        kind: 'call',
        at: `${inBranch}/0/operators/0/webhook`,
        url: 'https://example.com/',
        secretRef: 'SHOP',
      },
      {
        kind: 'write',
        stream: 'out',
        pointer: `${inBranch}/1/operators/0/branch/0/operators/0/emit/stream`,
      },
    ]);
  });

  it('returns no effects for an unknown operator', () => {
    expect(effectsOf([{ frobnicate: { stream: 'out' } }])).toEqual([]);
  });
});
