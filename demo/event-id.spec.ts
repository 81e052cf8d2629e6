import { describe, expect, it } from 'vitest';
import { uuidPattern } from '#event';
import { eventIdOf } from './event-id.js';

describe('the id of a row of the demo data', () => {
  it('is the same for the same name, so that a row that is sent again is the same event', () => {
    expect(eventIdOf('earthquakes/ci37868143')).toBe(eventIdOf('earthquakes/ci37868143'));
  });

  it('differs if the name differs in one character', () => {
    expect(eventIdOf('flights/1')).not.toBe(eventIdOf('flights/2'));
  });

  it('is a UUID of version 5 in the variant of RFC 9562', () => {
    const id = eventIdOf('flights/199999');
    expect(id).toMatch(uuidPattern);
    expect(id[14]).toBe('5');
    expect('89ab').toContain(id[19]);
  });
});
