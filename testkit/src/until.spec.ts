import { describe, expect, it } from 'vitest';
import { until } from './until.js';

describe('waiting until something is so', () => {
  it('goes on for as long as there is progress', async () => {
    const start = Date.now();
    let looks = 0;
    const waiting = { what: 'ten looks', progress: () => looks++, patienceMs: 20, intervalMs: 10 };
    await until(() => looks > 10, waiting);
    expect(Date.now() - start).toBeGreaterThan(50);
  });

  it('ends when nothing moves, and says what was waited for, how far it came and what is known', async () => {
    const waiting = { what: 'the end', progress: () => 7, patienceMs: 30, diagnosis: () => 'all is quiet' };
    await expect(until(() => false, waiting)).rejects.toThrow(/0\.03 s: the end \(at 7\)\nall is quiet/);
  });
});
