import { maxDeadLetterIds, type DeadLetter } from './store.js';

/** What a dead letter is known by. */
export type DeadLetterIdentity = readonly [source: string, stream: string, partition: number, offset: number];

/** Names a dead letter by its identity. */
export function deadLetterId(letter: DeadLetter): string {
  const identity = [letter.source, letter.stream, letter.partition, letter.offset];
  return Buffer.from(JSON.stringify(identity), 'utf8').toString('base64url');
}

/** @throws RangeError for more than `maxDeadLetterIds`. */
export function assertBounded(ids: readonly string[]): void {
  if (ids.length > maxDeadLetterIds)
    throw new RangeError(`more than ${maxDeadLetterIds} ids of dead letters`);
}

/** The identities that these ids name; what is no id is left out. @throws RangeError for too many. */
export function deadLetterIdentities(ids: readonly string[]): DeadLetterIdentity[] {
  assertBounded(ids);
  return ids.map(identityOf).filter((identity) => identity !== undefined);
}

function identityOf(id: string): DeadLetterIdentity | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(id, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  return isIdentity(value) ? value : undefined;
}

function isIdentity(value: unknown): value is DeadLetterIdentity {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [source, stream, partition, offset] = value as unknown[];
  return (
    typeof source === 'string' &&
    typeof stream === 'string' &&
    isWhole(partition, 65_535) &&
    isWhole(offset, Number.MAX_SAFE_INTEGER)
  );
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
