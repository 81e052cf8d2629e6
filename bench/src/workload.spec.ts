import { describe, expect, it } from 'vitest';
import { batchBodies, benchEvents, entities, peerBodies } from './workload.js';

const events = benchEvents(2_000, { stream: 'orders', seed: 7 });

describe('the workload', () => {
  it('is the same for the same seed, and another for another seed', () => {
    expect(benchEvents(2_000, { stream: 'orders', seed: 7 })).toEqual(events);
    expect(benchEvents(2_000, { stream: 'orders', seed: 8 })).not.toEqual(events);
  });

  it('has events of about 280 bytes', () => {
    const bytes = events.reduce((sum, event) => sum + JSON.stringify(event).length, 0) / events.length;
    expect(bytes).toBeGreaterThan(270);
    expect(bytes).toBeLessThan(290);
  });

  it('is distributed over its entities', () => {
    const seen = new Set(events.map((event) => event.entity_id));
    expect(seen.size).toBeGreaterThan(1_500);
    expect(seen.size).toBeLessThanOrEqual(entities);
  });

  it('can have as many entities as events, in scattered order', () => {
    const distinct = benchEvents(2_000, { stream: 'orders', seed: 7, distinct: true });
    expect(new Set(distinct.map((event) => event.entity_id)).size).toBe(2_000);
    expect(distinct[1]!.entity_id).not.toBe('order-1');
  });

  it('consists of whole batches', () => {
    const bodies = batchBodies(events, 500);
    expect(bodies).toHaveLength(4);
    expect((JSON.parse(bodies[3]!) as { events: unknown[] }).events).toEqual(events.slice(1_500));
  });

  it('has the same events in the form of the peer', () => {
    const [{ event_type, entity_id, data }] = events as [(typeof events)[number]];
    const [body] = peerBodies(events, 1) as [string];
    expect(JSON.parse(body)).toEqual({ tenant_id: 'orders', event_type, entity_id, payload: data });
    const [batch] = peerBodies(events, 500) as [string];
    expect((JSON.parse(batch) as { events: unknown[] }).events).toHaveLength(500);
  });
});
