import { describe, expect, it } from 'vitest';
import { uuidPattern } from '#event';
import { derivedId } from './derived-id.js';

const run = '0123456789abcdef01234567';
const origin = { stream: 'orders', partition: 3, offset: 17, path: '' };

describe('the id of an event that a job emits', () => {
  it('is a UUID of version 8, the same each time', () => {
    const id = derivedId(run, origin, '/operators/1/emit');
    expect(id).toMatch(uuidPattern);
    expect(id).toMatch(/^.{14}8.{4}[89ab]/);
    expect(derivedId(run, { ...origin }, '/operators/1/emit')).toBe(id);
  });

  it('differs by job, provenance and output operator', () => {
    const ids = [
      derivedId(run, origin, '/operators/1/emit'),
      derivedId(`${run.slice(0, -1)}0`, origin, '/operators/1/emit'),
      derivedId(run, origin, '/operators/2/emit'),
      derivedId(run, { ...origin, stream: 'order' }, '/operators/1/emit'),
      derivedId(run, { ...origin, partition: 31, offset: 7 }, '/operators/1/emit'),
      derivedId(run, { ...origin, path: '0000' }, '/operators/1/emit'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
