import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../errors.js';
import type { DeadLetter } from '../store.js';
import { second, t0 } from './rows.js';
import type { StoreContract } from './store-contract.js';

/** What could not become an event. */
export function describeDeadLetters(contract: StoreContract): void {
  describe('dead letters', () => {
    it('lists dead letters newest first, each once', async () => {
      const source = `m-${randomUUID()}`;
      const letter = (offset: number, created_at: number): DeadLetter => ({
        source,
        stream: 'orders',
        partition: 2,
        offset,
        reason: 'unreadable',
        error: 'not JSON: "…"',
        event: 'base64:AAEC',
        created_at,
      });
      const letters = [letter(1, t0), letter(2, t0), letter(3, t0 + second), letter(4, t0 + 2 * second)];
      await contract.store.writer.appendDeadLetters(letters.slice(0, 3));
      await contract.store.writer.appendDeadLetters(letters.slice(1));
      const first = await contract.deadLetters({ source, limit: 3 });
      expect(first.total).toBe(4);
      expect(first.items.map((item) => item.offset)).toEqual([4, 3, 2]);
      expect(first.items[0]).toEqual({ ...letters[3], id: first.items[0]?.id });
      const rest = await contract.deadLetters({ source, limit: 3, cursor: first.nextCursor });
      expect(rest.items.map((item) => item.offset)).toEqual([1]);
      expect(new Set([...first.items, ...rest.items].map((item) => item.id)).size).toBe(4);
      const early = await contract.deadLetters({ source, since: t0, until: t0 + second, limit: 3 });
      expect(early).toMatchObject({ total: 2, items: [{ offset: 2 }, { offset: 1 }] });
      const other = contract.deadLetters({ source: 'other', limit: 3, cursor: first.nextCursor });
      await expect(other).rejects.toBeInstanceOf(InvalidCursorError);
    });
  });
}
