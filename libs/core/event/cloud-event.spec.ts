import { describe, expect, it } from 'vitest';
import { cloudEventId, cloudEventJson, type StoredEventForCloudEvent } from './cloud-event.js';

const id = '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11';
const content = (more: Partial<StoredEventForCloudEvent> = {}): StoredEventForCloudEvent => ({
  ...{ event_id: id, event_type: 'order.placed', entity_id: null, timestamp: '2026-11-21T04:00:00.000123Z' },
  ...{ data: '{}', metadata: '{}', ...more },
});
const json = (more?: Partial<StoredEventForCloudEvent>) => cloudEventJson(content(more), '/s');
const parsed = (more?: Partial<StoredEventForCloudEvent>) =>
  JSON.parse(json(more)) as Record<string, unknown>;

/** Returns the CloudEvent of an event that was received as the CloudEvent `a` of `/shop`. */
const sent = (members: object, more: Partial<StoredEventForCloudEvent> = {}) =>
  parsed({
    event_id: cloudEventId('/shop', 'a'),
    metadata: JSON.stringify({ ce_id: 'a', ce_source: '/shop', ...members }),
    ...more,
  });

describe('an event as a CloudEvent', () => {
  it('has its event_id as its id, and the given source', () => {
    expect(json({ entity_id: 'order-17', data: '{"n": 1.0}' })).toBe(
      `{"specversion":"1.0","id":"${id}","source":"/s","type":"order.placed","subject":"order-17",` +
        `"time":"2026-11-21T04:00:00.000123Z","datacontenttype":"application/json","data":{"n": 1.0}}`,
    );
  });

  it('equals the CloudEvent that was received', () => {
    const members = { ce_datacontenttype: 'text/xml', ce_dataschema: 'x:y', ce_data: 'value' };
    expect(sent(members, { data: '{"value":"<a/>"}' })).toMatchObject({
      ...{ id: 'a', source: '/shop', datacontenttype: 'text/xml', dataschema: 'x:y', data: '<a/>' },
    });
    expect(sent({ ce_data: 'none' })).not.toHaveProperty('data');
    expect(sent({ ce_data: 'base64' }, { data: '{"value":"/+8="}' })).toMatchObject({ data_base64: '/+8=' });
  });

  it('has no content type if the received CloudEvent had none', () => {
    for (const ce_data of [undefined, 'value', 'base64', 'none'])
      expect(sent({ ce_data })).not.toHaveProperty('datacontenttype');
  });

  it('has its own id and source if a pipeline derived it from a CloudEvent', () => {
    const members = { ce_datacontenttype: 'text/xml', ce_data: 'value', traceparent: '00-a' };
    expect(sent(members, { event_id: id, data: '{"value":1}' })).toMatchObject({
      ...{ id, source: '/s', datacontenttype: 'application/json', data: { value: 1 }, traceparent: '00-a' },
    });
  });

  it.each(['{"value":1,"b":{"value":2}}', '{"value":1}extra}', '{"other":1}', '{"value":}', '{}'])(
    'has its data unchanged if it is not a wrapped value: %s',
    (data) => {
      const metadata = '{"ce_id":"a","ce_source":"/shop","ce_data":"value"}';
      expect(json({ event_id: cloudEventId('/shop', 'a'), metadata, data })).toMatch(`,"data":${data}}`);
    },
  );

  it('has those members of its metadata that are valid attributes', () => {
    const metadata = {
      ...{ text: 'a', flag: true, count: -1, empty: '' },
      ...{ id: 'x', source: 'web', data: 1, camelCase: 'x', 'a-b': 'x', unset: null },
      ...{ half: 1.5, big: 2 ** 31, lines: 'a\nb' },
    };
    const { text, flag, count, empty, ...others } = parsed({ metadata: JSON.stringify(metadata) });
    expect([text, flag, count, empty]).toEqual(['a', true, -1, '']);
    expect(Object.keys(others)).toEqual([
      ...['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'data'],
    ]);
    expect(others).toMatchObject({ id, source: '/s', data: {} });
  });
});
