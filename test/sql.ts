import { expect } from 'vitest';
import { askClickHouse, type TestSystem } from '#testkit';

/** Runs a statement in the engine of the store, without the store's code. */
export async function sql(stack: TestSystem, statement: string): Promise<string> {
  const answer = await askClickHouse(stack, statement);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
}
