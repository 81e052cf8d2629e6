import { createHash } from 'node:crypto';
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

/** Number of characters of the hash in an id: 72 bits distinguish the dead letters of one offset. */
const hashCharacters = 12;

/** SQL expression of the hash in the id of a row of `dead_letters`. */
export const deadLetterHashSql = `substring(base64URLEncode(SHA256(concat(source, '\\n', stream, '\\n', step))), 1, ${hashCharacters})`;

/** What an id says of its dead letter: the position of the record, and a hash of the source, the stream and the failure location. */
type DeadLetterKey = readonly [partition: number, offset: number, hash: string];

/** Returns the id of a dead letter: partition, offset and hash, such as `3.1207.kRFp3arxRq_1`. */
export function deadLetterId(letter: IdentifiableDeadLetter): string {
  const [source, stream, partition, offset, step] = deadLetterIdentity(letter);
  const hash = createHash('sha256').update([source, stream, step].join('\n')).digest('base64url');
  return `${partition}.${offset}.${hash.slice(0, hashCharacters)}`;
}

/** @throws RangeError if a query has more than `maxDeadLetterIds` (500) dead letter ids */
export function assertDeadLetterIdsBounded(ids: readonly string[]): void {
  if (ids.length > maxDeadLetterIds) throw new RangeError(`more than ${maxDeadLetterIds} dead letter ids`);
}

/** Decodes ids, and ignores an id that is malformed. @throws RangeError for more than `maxDeadLetterIds` */
export function parseDeadLetterIds(ids: readonly string[]): DeadLetterKey[] {
  assertDeadLetterIdsBounded(ids);
  return ids.map(parseDeadLetterId).filter((key) => key !== undefined);
}

const idPattern = /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,15})\.([\w-]{12})$/;

function parseDeadLetterId(id: string): DeadLetterKey | undefined {
  const [, partition, offset, hash] = idPattern.exec(id) ?? [];
  if (hash === undefined) return undefined;
  const isPosition = Number(partition) <= 65_535 && Number(offset) <= Number.MAX_SAFE_INTEGER;
  return isPosition ? [Number(partition), Number(offset), hash] : undefined;
}
