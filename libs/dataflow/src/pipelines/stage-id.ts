import { createHash } from 'node:crypto';

/**
 * 16 hexadecimal digits. A stage is another one when it computes something else (its window, key and fields), when another
 * stage feeds it, or when it stands in another branch: then it begins without state. Operators that are put before or after
 * it change nothing: what it has seen stays seen.
 */
export function stageId(
  identity: readonly unknown[],
  { stage, branches }: { stage: string | undefined; branches: readonly number[] },
): string {
  const text = JSON.stringify([identity, stage ?? null, branches]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
