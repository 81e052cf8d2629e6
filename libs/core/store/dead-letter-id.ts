import { jsonValue } from '#json';
import { formatFailureLocation, type PipelineFailureLocation } from './pipeline-failure-location.js';
import { maxDeadLetterIds, type DeadLetter } from './store.js';

/**
 * The identity of a dead letter. `step` is the text of its failure location; it is empty for a dead letter
 * that is not from a pipeline.
 */
type DeadLetterIdentity = readonly [
  source: string,
  stream: string,
  partition: number,
  offset: number,
  step: string,
];

type IdentifiableDeadLetter = Pick<DeadLetter, 'source' | 'stream' | 'partition' | 'offset'> & {
  step?: PipelineFailureLocation | undefined;
};

export function deadLetterIdentity(letter: IdentifiableDeadLetter): DeadLetterIdentity {
  return [letter.source, letter.stream, letter.partition, letter.offset, formatFailureLocation(letter.step)];
}

/** Encodes the identity of a dead letter as its id: base64url of a JSON array. An empty failure location is omitted. */
export function deadLetterId(letter: IdentifiableDeadLetter): string {
  const [source, stream, partition, offset, step] = deadLetterIdentity(letter);
  const parts = [source, stream, partition, offset, ...(step === '' ? [] : [step])];
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/** @throws RangeError if a query has more than `maxDeadLetterIds` (500) dead letter ids */
export function assertDeadLetterIdsBounded(ids: readonly string[]): void {
  if (ids.length > maxDeadLetterIds) throw new RangeError(`more than ${maxDeadLetterIds} dead letter ids`);
}

/**
 * Decodes ids to identities and ignores an id that is malformed. @throws RangeError for more than `maxDeadLetterIds`.
 */
export function parseDeadLetterIds(ids: readonly string[]): DeadLetterIdentity[] {
  assertDeadLetterIdsBounded(ids);
  return ids.map(parseDeadLetterId).filter((identity) => identity !== undefined);
}

function parseDeadLetterId(id: string): DeadLetterIdentity | undefined {
  const value = jsonValue(Buffer.from(id, 'base64url').toString('utf8'));
  if (!Array.isArray(value)) return undefined;
  const parts = value as unknown[];
  if (parts.length === 4) parts.push('');
  else if (parts[4] === '') return undefined;
  return isIdentity(parts) ? parts : undefined;
}

function isIdentity(parts: unknown): parts is DeadLetterIdentity {
  const [source, stream, partition, offset, step, ...others] = parts as unknown[];
  return (
    typeof source === 'string' &&
    typeof stream === 'string' &&
    isWhole(partition, 65_535) &&
    isWhole(offset, Number.MAX_SAFE_INTEGER) &&
    typeof step === 'string' &&
    others.length === 0
  );
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
