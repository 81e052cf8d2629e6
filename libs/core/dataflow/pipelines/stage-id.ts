import { createHash } from 'node:crypto';

/**
 * Returns the id of a stage: 16 hexadecimal digits. The id changes if the stage computes something else (its window,
 * key or fields), if another stage feeds it, or if it moves to another branch; the stage then begins without state.
 * Operators that are added before or after the stage do not change its id, and its state remains.
 */
export function stageId(
  identity: readonly unknown[],
  { stage, branches }: { stage: string | undefined; branches: readonly number[] },
): string {
  const text = JSON.stringify([identity, stage ?? null, branches]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
