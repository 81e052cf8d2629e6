import { createHash } from 'node:crypto';
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

  it('consists of the digits of the SHA-256 of the job, the provenance and the operator as JSON', () => {
    const cases = [
      { run, origin, at: '/operators/1/emit' },
      { run, origin: { ...origin, path: '0003/1' }, at: '/operators/1/emit' },
      {
        run: 'another job',
        origin: { ...origin, path: 'a:1:"é"' },
        at: '/operators/1/branch/0/operators/2/emit',
      },
      { run, origin: { stream: '', partition: 0, offset: 0, path: 'a:1:b' }, at: '/operators/3/webhook' },
    ];
    for (const { run, origin, at } of cases) {
      const { stream, partition, offset, path } = origin;
      const text = JSON.stringify([run, stream, partition, offset, path, at]);
      const digits = createHash('sha256').update(text).digest('hex').slice(0, 32);
      const id = derivedId(run, origin, at).replaceAll('-', '');
      expect(id.slice(0, 12) + id.slice(13, 16) + id.slice(17)).toBe(
        digits.slice(0, 12) + digits.slice(13, 16) + digits.slice(17),
      );
      expect(parseInt(id.charAt(16), 16)).toBe((parseInt(digits.charAt(16), 16) & 0x3) | 0x8);
    }
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
