import { expect } from 'vitest';
import type { Stack } from '#testing';

/** Runs a statement in the store's engine, past our own code. */
export async function sql({ clickhouseUrl }: Stack, statement: string): Promise<string> {
  const answer = await fetch(`${clickhouseUrl}/`, { method: 'POST', body: statement });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
}
