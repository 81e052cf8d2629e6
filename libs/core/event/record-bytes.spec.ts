import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTime, readUuid, readUuidText, uuidText } from './record-bytes.js';
import { earliestTime, formatTime, latestTime, parseFormattedTime } from '#json';

const timeIn = (text: string): number => {
  const bytes = Buffer.from(`"${text}"`);
  return readTime(bytes, 1, bytes.length - 1);
};

describe('readUuid', () => {
  it('returns words that uuidText converts to the same text', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(5), (uuid, at) => {
        const words = new Uint32Array(4);
        expect(readUuid(Buffer.from('x'.repeat(at) + uuid), at, words)).toBe(true);
        expect(uuidText(words)).toBe(uuid);
      }),
    );
  });

  it.each([
    '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c1',
    '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c1g',
    '019AA4E2-7d53-7c1e-9a3e-0d6a1f0b2c11',
    '019aa4e2+7d53-7c1e-9a3e-0d6a1f0b2c11',
    '019aa4e27d53-7c1e-9a3e-0d6a1f0b2c111',
    '',
  ])('rejects a text that is not a UUID: %s', (text) => {
    expect(readUuid(Buffer.from(text), 0, new Uint32Array(4))).toBe(false);
  });
});

describe('readUuidText', () => {
  it('reads either case', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const words = new Uint32Array(4);
        expect(readUuidText(uuid.toUpperCase(), words)).toBe(true);
        expect(uuidText(words)).toBe(uuid);
      }),
    );
  });

  it.each([
    '',
    '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c111',
    '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c1\u0134',
    '\u0134' + '19aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  ])('rejects a text that is not a UUID: %s', (text) => {
    expect(readUuidText(text, new Uint32Array(4))).toBe(false);
  });
});

describe('readTime', () => {
  it('reads every time that formatTime writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: earliestTime, max: latestTime - 1 }), (time) => {
        expect(timeIn(formatTime(time))).toBe(time);
      }),
    );
  });

  it('agrees with parseFormattedTime on every text of almost that form', () => {
    const part = fc.constantFrom(
      '00',
      '01',
      '02',
      '12',
      '13',
      '24',
      '29',
      '30',
      '59',
      '60',
      '99',
      '1x',
      '-1',
    );
    const parts = fc.tuple(fc.constantFrom('19', '20', '00'), part, part, part, part, part, part);
    const end = fc.constantFrom('.000001Z', '.99999Z', 'Z', '+01:00', '.123456z', '.12345 Z', '.1234567Z');
    fc.assert(
      fc.property(parts, end, ([century, year, month, day, hour, minute, second], rest) => {
        const text = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}${rest}`;
        expect(timeIn(text)).toBe(parseFormattedTime(text) ?? NaN);
      }),
      { numRuns: 3000 },
    );
  });
});
