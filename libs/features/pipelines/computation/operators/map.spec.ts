import { describe, expect, it } from 'vitest';
import type { OperatorOutcome } from '../flow/pipeline.js';
import { outcomesOf } from '../pipeline.fixture.js';

function mapped(map: object, data: string): OperatorOutcome {
  return outcomesOf([{ map }, { emit: { stream: 'out' } }], data)[0] as OperatorOutcome;
}

const eventOf = (map: object, data: string) => mapped(map, data).flow.event;

describe('map', () => {
  it('builds data from expressions, with the same nesting', () => {
    const map = {
      data: { amount: 'event.data.amount', tax: { rate: '0.2', vat: 'event.data.amount * 0.2' }, none: {} },
    };
    expect(eventOf(map, '{"amount":12.50,"other":1}').data).toBe(
      '{"amount":12.5,"tax":{"rate":0.2,"vat":2.5},"none":{}}',
    );
  });

  it('computes exactly, and keeps all digits', () => {
    const map = { data: { sum: 'event.data.a + 0.2', id: 'event.data.id' } };
    expect(eventOf(map, '{"a":0.1,"id":12345678901234567890.123}').data).toBe(
      '{"sum":0.3,"id":12345678901234567890.123}',
    );
  });

  it.each([
    ['event.data.text', '{"text":"é\\u0000🎉\\"\\ud800"}', String.raw`{"x":"é\u0000🎉\"�"}`],
    ['event.timestamp', '{}', '{"x":"2026-11-21T04:00:00.000000Z"}'],
    ['event.timestamp - event.timestamp', '{}', '{"x":"0s"}'],
    ['[1, null, event.data]', '{"__proto__":{"a":1}}', '{"x":[1,null,{"__proto__":{"a":1}}]}'],
    ['event.metadata.trace', '{}', '{"x":"t-1"}'],
  ])('writes %s', (x, data, expected) => {
    expect(eventOf({ data: { x } }, data).data).toBe(expected);
  });

  it('sets the type and the entity, and keeps the rest unchanged', () => {
    const map = { event_type: '"big." + event.event_type', entity_id: 'event.data.n' };
    const data = '{ "n" : 1.50e1 }';
    expect(eventOf(map, data)).toMatchObject({
      data,
      event_type: 'big.order.placed',
      entity_id: '15',
      metadata: '{"trace":"t-1"}',
      schema_version: null,
    });
    expect(eventOf({ entity_id: 'event.data.none' }, '{"none":null}').entity_id).toBeNull();
  });

  it('evaluates all expressions on the unchanged event', () => {
    const map = { data: { id: 'event.entity_id' }, entity_id: 'event.data.id' };
    expect(eventOf(map, '{"id":"x"}')).toMatchObject({ data: '{"id":"order-17"}', entity_id: 'x' });
  });

  it.each<[object, string, string]>([
    [{ data: { tax: { vat: 'event.data.amount * 2' } } }, '/data/tax/vat', 'There is no member amount'],
    [{ data: { 'a/b~': 'event.data.amount' } }, '/data/a~1b~0', 'There is no member amount'],
    [{ event_type: 'event.data.type' }, '/event_type', 'This is a number, but a string is needed.'],
    [{ event_type: 'event.data.line' }, '/event_type', 'must not contain control characters'],
    [{ entity_id: '[event.data.type][0] == 1 ? event.data.line : ""' }, '/entity_id', 'control characters'],
    [{ entity_id: '""' }, '/entity_id', 'A key has 1 to 256 characters.'],
  ])('fails with the failure location: %j', (map, pointer, detail) => {
    expect(mapped(map, '{"type":1,"line":"a\\nb"}')).toMatchObject({
      kind: 'fail',
      at: '/operators/0/map',
      pointer: `/operators/0/map${pointer}`,
      detail: expect.stringContaining(detail) as string,
    });
  });

  it('fails a result that is larger than an event may be', () => {
    const data = `{"x":"${'x'.repeat(400_000)}"}`;
    const map = { data: { a: 'event.data.x', b: 'event.data.x', c: 'event.data.x' } };
    expect(mapped(map, data)).toMatchObject({
      kind: 'fail',
      pointer: '/operators/0/map/data',
      detail: 'The result is larger than 1048576 bytes, the limit of an event.',
    });
  });
});
