import { describe, expect, it } from 'vitest';
import { ofPrefix, systemMap, toneOf, type MapJob, type SystemMap } from './system-map.js';

function job(name: string, ...streams: string[]) {
  const status: MapJob['status'] = 'running';
  const counts = { processed: 1, failed: 0, lag: 0, lag_seconds: 0, failure: null };
  return { name, status, ...counts, source: { streams } };
}

const shop = systemMap({
  projections: [job('customers', 'shop.customers')],
  pipelines: [
    {
      ...job('totals', 'shop.orders'),
      operators: [
        { filter: 'true' },
        { enrich: { from: { projection: 'customers' }, key: 'event.entity_id', as: 'customer' } },
        {
          join: {
            with: { streams: ['shop.payments'] },
            left: 'a',
            right: 'b',
            late: { stream: 'shop.late' },
          },
        },
        {
          branch: [
            { when: 'true', operators: [{ emit: { stream: 'totals' } }] },
            {
              otherwise: true,
              operators: [{ webhook: { url: 'https://x.test/a' } }, { emit: { stream: 'totals' } }],
            },
          ],
        },
      ],
    },
  ],
});

const edgesOf = ({ edges }: SystemMap) =>
  edges.map(({ from, flow, to }) => `${from.name} ${flow} ${to.name}`);

describe('the map of a system', () => {
  it('has an edge for each way of events and states, once', () => {
    expect(edgesOf(shop)).toEqual([
      'customers looked up by totals',
      'shop.customers read by customers',
      'shop.orders read by totals',
      'shop.payments joined by totals',
      'totals calls https://x.test/a',
      'totals late events to shop.late',
      'totals emits to totals',
    ]);
  });

  it('tells a stream from a pipeline of the same name', () => {
    expect(shop.nodes.filter(({ name }) => name === 'totals').map(({ kind }) => kind)).toEqual([
      'pipeline',
      'stream',
    ]);
  });

  it('has the subscriptions of each stream', () => {
    const subscriptions = [job('billing', 'orders', 'refunds'), job('mail', 'orders')];
    expect(edgesOf(systemMap({ projections: [], pipelines: [], subscriptions }))).toEqual([
      'orders read by billing',
      'orders read by mail',
      'refunds read by billing',
    ]);
  });

  it('does not show a table in the definition as a projection', () => {
    const operators = [{ enrich: { from: { table: { a: 1 } }, key: 'k', as: 'x' } }];
    expect(edgesOf(systemMap({ projections: [], pipelines: [{ ...job('p', 's'), operators }] }))).toEqual([
      's read by p',
    ]);
  });

  it('keeps with a prefix the nodes that begin with it and their neighbours', () => {
    const found = ofPrefix(shop, 'shop.cust');
    expect(edgesOf(found)).toEqual(['shop.customers read by customers']);
    expect(found.nodes.map(({ name }) => name)).toEqual(['customers', 'shop.customers']);
    expect(ofPrefix(shop, 'none')).toEqual({ nodes: [], edges: [] });
    expect(ofPrefix(shop, '').edges).toHaveLength(7);
  });

  it.each([
    ['a failed job', { status: 'failed' }, 'bad'],
    ['a paused job', { status: 'paused' }, 'warn'],
    ['a job with failed events', { failed: 3 }, 'warn'],
    ['a subscription with parked events', { parked: 1 }, 'warn'],
    ['a running job', {}, undefined],
  ] as const)('marks %s', (_name, change, tone) => {
    const node = { id: 'a', kind: 'pipeline', name: 'a', job: { ...job('a'), ...change } } as const;
    expect(toneOf(node)).toBe(tone);
  });

  it('marks a webhook only while its deliveries are repeated', () => {
    const failing = { ...job('a'), failed: 1 };
    const node = { id: 'a', kind: 'webhook', name: 'a' } as const;
    expect(toneOf({ ...node, job: failing })).toBeUndefined();
    const retrying = { since: '2026-01-01T00:00:00Z', last_answer: '503' };
    expect(toneOf({ ...node, job: { ...failing, retrying } })).toBe('bad');
  });
});
