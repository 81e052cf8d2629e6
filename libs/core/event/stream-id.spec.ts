import { describe, expect, it } from 'vitest';
import { isStreamIdOf, newStreamId, streamNameOf, type StreamId } from './stream-id.js';
import { TopicAndGroupNames } from './names.js';

describe('the id of a stream', () => {
  it('consists of its name and ten random characters', () => {
    const id = newStreamId('shop.orders-eu');
    expect(id).toMatch(/^shop\.orders-eu#[0-9a-z]{10}$/);
    expect(streamNameOf(id)).toBe('shop.orders-eu');
    expect(isStreamIdOf('shop.orders-eu', id)).toBe(true);
    expect(isStreamIdOf('shop.orders', id)).toBe(false);
    expect(isStreamIdOf('shop', 'shop#A')).toBe(false);
  });

  it('differs for each incarnation of a stream', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newStreamId('orders'))).size).toBe(1000);
  });

  it('sorts like the names', () => {
    const names = ['orders', 'orders-eu', 'orders.eu', 'orders0', 'ordersA', 'orders_eu'];
    expect(names.map(newStreamId).sort().map(streamNameOf)).toEqual(names);
  });
});

describe('the topic of a stream', () => {
  const names = new TopicAndGroupNames(`${'p'.repeat(30)}`);

  it.each<StreamId>(['orders#1', 'a.b.1#0k3v9x2m1q', 'a#0', `${'x'.repeat(200)}#0k3v9x2m1q`])(
    'of %s identifies the stream, and has a valid name for Kafka',
    (id) => {
      const topic = names.ofStream(id);
      expect(topic).toMatch(/^[A-Za-z0-9._-]{1,249}$/);
      expect(names.streamOf(topic)).toBe(id);
    },
  );

  it('is distinct from topics of other installations and topics without a stream id', () => {
    for (const topic of ['other.events.orders.1', `${names.prefix}events.orders`, names.definitions])
      expect(names.streamOf(topic)).toBeUndefined();
  });
});
