import { describe, expect, it } from 'vitest';
import { uuidPattern } from './names.js';
import { replayHeader, replayIdIn, replayIdOf } from './replay.js';

describe('the id of a replay', () => {
  const letter = { id: 'WyJtYXRlcmlhbGl6ZXIi', event: '{"event_id":"…"}' };

  it('is a UUID of the letter and of what it holds, each time the same', () => {
    expect(replayIdOf(letter)).toMatch(uuidPattern);
    expect(replayIdOf({ ...letter })).toBe(replayIdOf(letter));
    expect(replayIdOf({ ...letter, id: 'x' })).not.toBe(replayIdOf(letter));
    expect(replayIdOf({ ...letter, event: '{}' })).not.toBe(replayIdOf(letter));
  });

  it('is read from the headers of a record', () => {
    const id = replayIdOf(letter);
    expect(replayIdIn({ [replayHeader]: Buffer.from(id) })).toBe(id);
    expect(replayIdIn({})).toBeUndefined();
    for (const rubbish of ['', '17', `${id}\n`, 'ü']) {
      expect(replayIdIn({ [replayHeader]: Buffer.from(rubbish) })).toBeUndefined();
    }
  });
});
