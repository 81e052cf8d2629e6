import { createHash } from 'node:crypto';

/**
 * Returns the id of a stage: 16 hexadecimal digits. It changes, and the stage begins without state, if the stage
 * computes something else (window, key or fields), has another upstream stage, or moves to another branch; not if
 * operators are added before or after it.
 */
export function stageId(
  identity: readonly unknown[],
  { stage, branches }: { stage: string | undefined; branches: readonly number[] },
): string {
  const text = JSON.stringify([identity, stage ?? null, branches]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
