import { describe, expect, it } from 'vitest';
import { until } from './until.js';

describe('waiting for a condition', () => {
  it('continues as long as there is progress', async () => {
    const start = Date.now();
    let looks = 0;
    const waiting = { what: 'ten looks', progress: () => looks++, patienceMs: 20, intervalMs: 10 };
    await until(() => looks > 10, waiting);
    expect(Date.now() - start).toBeGreaterThan(50);
  });

  it('fails without progress, with the condition, the last progress and the diagnosis', async () => {
    const waiting = { what: 'the end', progress: () => 7, patienceMs: 30, diagnosis: () => 'all is quiet' };
    await expect(until(() => false, waiting)).rejects.toThrow(/0\.03 s: the end \(at 7\)\nall is quiet/);
  });
});
