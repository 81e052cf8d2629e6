import { describe, expect, it } from 'vitest';
import { compileKey } from './compile-key.js';
import { DefinitionError } from '../definition/definition-error.js';
import { event } from './event.fixture.js';

const data =
  '{"currency":"EUR","n":5.0,"big":9007199254740993,"d":0.10000000000000000001,"huge":10E98,"yes":true,"no":null,"empty":"",' +
  `"list":[],"line":"a\\nb","long":"${'x'.repeat(257)}","far":1e999}`;
const key = (text?: string, fields = {}) => compileKey(text)(event(data, fields));

describe('a key', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'order-17'],
    ['event.data.currency', 'EUR'],
    ['event.data.n', '5'],
    ['event.data.big', '9007199254740993'],
    ['event.data.d', '0.10000000000000000001'],
    ['event.data.huge', '1e+99'],
    ['event.data.yes', 'true'],
    ['event.timestamp', '2026-11-21T04:00:00.000000Z'],
    ['event.data.currency + "/" + string(event.timestamp.getHours())', 'EUR/4'],
    ['string(event.timestamp).substring(0, 13)', '2026-11-21T04'],
    ['event.timestamp.getHours("Asia/Tokyo")', '13'],
  ])('of %s is %s', (text, expected) => {
    expect(key(text)).toEqual({ key: expected });
  });

  it('is null if its expression is null: the event is skipped', () => {
    expect(key(undefined, { entity_id: null })).toEqual({ key: null });
    expect(key('event.data.no')).toEqual({ key: null });
  });

  it.each([
    ['event.data.missing', 'There is no member missing'],
    ['event.data.empty', 'A key has 1 to 256 characters.'],
    ['event.data.long', 'A key has 1 to 256 characters.'],
    ['event.data.list', 'but this is a list'],
    ['event.data.line', 'must not contain control characters'],
  ])('of %s is invalid: %s', (text, detail) => {
    expect(key(text).refused).toMatchObject({
      pointer: '/key',
      detail: expect.stringContaining(detail) as string,
    });
  });

  it.each(['event.data.', 'event.data', 'event.ingested_at - event.timestamp', 'null', 'event.currency'])(
    'cannot have the expression %s',
    (text) => {
      expect(() => compileKey(text)).toThrow(DefinitionError);
    },
  );
});
