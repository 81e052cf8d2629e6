import { describe, expect, it } from 'vitest';
import { SharedCall } from './shared-call.js';

describe('SharedCall', () => {
  it('given a call that succeeds, calls once, and all callers get its result', async () => {
    let calls = 0;
    const shared = new SharedCall(async () => ++calls);
    expect(shared.started).toBeUndefined();
    expect(await Promise.all([shared.result(), shared.result()])).toEqual([1, 1]);
    expect(await shared.result()).toBe(1);
    expect(await shared.started).toBe(1);
  });

  it('given a call that fails, all who wait get its error, and the next caller calls again', async () => {
    let calls = 0;
    const shared = new SharedCall(async () => {
      if (++calls === 1) throw new Error('down');
      return calls;
    });
    const both = await Promise.allSettled([shared.result(), shared.result()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(shared.started).toBeUndefined();
    expect(await shared.result()).toBe(2);
  });
});
