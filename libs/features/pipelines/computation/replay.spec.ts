import { describe, expect, it } from 'vitest';
import { readReplay, replayValue, type ReplayedDeadLetter } from './replay.js';

const replay: ReplayedDeadLetter = {
  id: '019aa4e2-7d53-8c1e-9a3e-0d6a1f0b2c11',
  at: '/operators/0/map',
  version: 2,
  origin: { stream: 'orders', partition: 3, offset: 7, path: '0/1' },
  event: '{"event_id":"…"}',
};

describe('a replay', () => {
  it('is read as it was written, with its offset in the provenance', () => {
    expect(readReplay(Buffer.from(replayValue(replay)), 12)).toEqual({
      ...replay,
      origin: { ...replay.origin, replay: 12 },
    });
  });

  it('keeps the stage of an expect, on which ids depend', () => {
    const missing = { ...replay, origin: { ...replay.origin, expected: '0123456789abcdef' } };
    expect(readReplay(Buffer.from(replayValue(missing)), 12)).toMatchObject({ origin: missing.origin });
  });

  it.each(['', 'x', '{}', '[]', '[1,2,3,4,5,6,7,8]', replayValue({ ...replay, id: 'no-uuid' })])(
    'cannot be read from %j',
    (text) => {
      expect(readReplay(Buffer.from(text), 1)).toBeUndefined();
    },
  );

  it('cannot be read from a record without a value', () => {
    expect(readReplay(null, 1)).toBeUndefined();
  });
});
