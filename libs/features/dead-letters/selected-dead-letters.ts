import type { EventReader, StoredDeadLetter, AuthorizationScope } from '#store';

/**
 * Dead letters to replay: those with these ids, or all of one source (such as `materializer`) that have not been
 * replayed.
 */
export type ReplaySelection = { ids: readonly string[] } | { source: string; cursor?: string | undefined };

/** Limits of one page of dead letters: their number, and the bytes of their records. One record may have a megabyte. */
const [pageSize, pageBytes] = [50, 8 * 1024 * 1024];

/** One page of the dead letters that a replay request selects. */
export interface ReplaySelectionPage {
  letters: StoredDeadLetter[];
  /** Requested ids that no dead letter has. */
  missing: string[];
  /** Cursor of the next page of a source; undefined after the last page. */
  nextCursor?: string | undefined;
}

/** The selected dead letters, the streams that the caller may see, and where to read. */
interface ReplaySelectionOptions {
  reader: Pick<EventReader, 'deadLetters'>;
  permitted: AuthorizationScope;
  choice: ReplaySelection;
  /** Limit of dead letters to read when the selection is by source. */
  limit: number;
  signal: AbortSignal;
}

/** Yields the selected dead letters in pages. `limit` applies to a selection by source only. */
export async function* selectedDeadLetters(
  question: ReplaySelectionOptions,
): AsyncGenerator<ReplaySelectionPage> {
  const { choice } = question;
  if ('ids' in choice) yield* deadLettersById(question, [...new Set(choice.ids)]);
  else yield* deadLettersOfSource(question, choice);
}

async function* deadLettersById(
  question: ReplaySelectionOptions,
  ids: readonly string[],
): AsyncGenerator<ReplaySelectionPage> {
  const { reader, permitted, signal } = question;
  for (let i = 0; i < ids.length; i += pageSize) {
    const some = ids.slice(i, i + pageSize);
    const missing = new Set(some);
    let cursor: string | undefined;
    do {
      const query = { ...permitted, ids: some, limit: some.length, maxBytes: pageBytes, cursor };
      const { items, nextCursor } = await reader.deadLetters(query, signal);
      for (const { id } of items) missing.delete(id);
      cursor = nextCursor;
      yield { letters: items, missing: cursor === undefined ? [...missing] : [] };
    } while (cursor !== undefined);
  }
}

async function* deadLettersOfSource(
  { reader, permitted, signal, limit }: ReplaySelectionOptions,
  { source, cursor: start }: { source: string; cursor?: string | undefined },
): AsyncGenerator<ReplaySelectionPage> {
  let [left, cursor] = [limit, start];
  do {
    const query = {
      ...{ ...permitted, source, replayed: false, cursor },
      ...{ limit: Math.min(left, pageSize), maxBytes: pageBytes },
    };
    const { items, nextCursor } = await reader.deadLetters(query, signal);
    left -= items.length;
    cursor = nextCursor;
    yield { letters: items, missing: [], nextCursor };
  } while (cursor !== undefined && left > 0);
}
