import { expect, it } from 'vitest';
import { durationMs } from './duration-ms.js';

it.each([
  ['0s', 0],
  ['30s', 30_000],
  ['2h', 7_200_000],
  ['PT30S', 30_000],
  ['P1DT1H1M1S', 90_061_000],
  ['30', undefined],
  ['', undefined],
])('the duration %s has %s milliseconds', (text, ms) => expect(durationMs(text)).toBe(ms));
