import { describe, expect, it } from 'vitest';
import { DecimalText, memberValue, type CelObject } from '#cel';
import { event } from './event.fixture.js';

describe('foldEvent', () => {
  it('returns the position: time, partition, offset and stream', () => {
    expect(event('{}', { timestamp: 5, partition: 1, offset: 7 }).position).toEqual([5, 1, 7, 'orders']);
  });

  it('keeps all digits of numbers', () => {
    const { value } = event('{"a":[9007199254740993,0.12345678901234567890,1.5]}');
    expect((memberValue(value, 'data') as CelObject).a).toEqual([
      9007199254740993n,
      new DecimalText('0.1234567890123456789'),
      1.5,
    ]);
  });
});
