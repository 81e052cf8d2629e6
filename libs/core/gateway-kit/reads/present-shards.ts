import { ShardUnavailableError, type EventReader, type Store } from '#store';

/** An answer, and the numbers of the shards whose rows it lacks, if it lacks any. */
interface PresentShardsAnswer<T> {
  answer: T;
  missingShards?: readonly number[];
}

/**
 * Reads all shards of the store. If one of them does not answer and the caller accepts a part of the answer, reads the others.
 * @throws ShardUnavailableError if the caller accepts no part, and every error of `read`
 */
export async function readPresentShards<T>(
  { reader, partialReader }: Pick<Store, 'reader' | 'partialReader'>,
  acceptsPart: boolean,
  read: (reader: EventReader) => Promise<T>,
): Promise<PresentShardsAnswer<T>> {
  try {
    return { answer: await read(reader) };
  } catch (error) {
    if (!acceptsPart || !partialReader || !(error instanceof ShardUnavailableError)) throw error;
    return { answer: await read(partialReader), missingShards: error.shards };
  }
}

/** Header of an answer that lacks the rows of shards: their numbers, comma-separated. */
export function missingShardsHeader(missing: readonly number[] | undefined): Record<string, string> {
  return missing ? { 'x-missing-shards': missing.join(',') } : {};
}
