import { expect, it, vi } from 'vitest';

it('a wait without a time-out of its own outlasts the second of Vitest', async () => {
  const start = Date.now();
  await vi.waitFor(() => expect(Date.now() - start).toBeGreaterThan(1_200));
});

it('a wait with a time-out of its own ends after it', async () => {
  const never = () => expect(1).toBe(2);
  await expect(vi.waitFor(never, { timeout: 20, interval: 5 })).rejects.toThrow();
  await expect(vi.waitFor(never, 20)).rejects.toThrow();
});
