import type { EventReader, FoundDeadLetter, Permitted } from '#store';

/** Which dead letters: named ones, or those of a source that have not been replayed. */
export type LetterChoice = { ids: readonly string[] } | { source: string; cursor?: string | undefined };

/** Dead letters that are held at the same time, and the bytes of their records: one may be a megabyte. */
const [pageSize, pageBytes] = [50, 8 * 1024 * 1024];

export interface LetterPage {
  letters: FoundDeadLetter[];
  /** Named, and not there. */
  missing: string[];
  /** Where the choice goes on; undefined at its end. */
  nextCursor?: string | undefined;
}

export interface LetterQuestion {
  reader: Pick<EventReader, 'deadLetters'>;
  permitted: Permitted;
  choice: LetterChoice;
  /** Dead letters to look at, at most. */
  limit: number;
  signal: AbortSignal;
}

/** The letters of a choice, a few at a time, up to the limit. */
export async function* chosenLetters(question: LetterQuestion): AsyncGenerator<LetterPage> {
  const { choice } = question;
  if ('ids' in choice) yield* namedLetters(question, [...new Set(choice.ids)]);
  else yield* lettersOfSource(question, choice);
}

async function* namedLetters(question: LetterQuestion, ids: readonly string[]): AsyncGenerator<LetterPage> {
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

async function* lettersOfSource(
  { reader, permitted, signal, limit }: LetterQuestion,
  { source, cursor: start }: { source: string; cursor?: string | undefined },
): AsyncGenerator<LetterPage> {
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
