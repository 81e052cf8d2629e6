import { limits, type StoredEvent } from '#event';
import { PageSize, QueryTooExpensiveError, type EventQuery, type Page } from '#store';

/** Reads one page. */
export type ReadPage = (
  page: Required<Pick<EventQuery, 'limit'>> & Pick<EventQuery, 'cursor'>,
) => Promise<Page<StoredEvent>>;

/** Bytes of `data` and `metadata` that a page should have, about. */
const pageBytes = 2 * 1024 * 1024;

/** Pages one after the other, to the last one. Only one is held at a time. */
export async function* exportedPages(read: ReadPage): AsyncGenerator<readonly StoredEvent[], void, void> {
  const size = new PageSize({ first: 500, most: limits.pageMax, bytes: pageBytes });
  for (let cursor: string | undefined; ;) {
    const page = await pageOfSize(read, size, cursor);
    yield page.items;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
    size.learn(page.items.length, bytesOf(page.items));
  }
}

/** One page, smaller where the store gives no more at once. */
async function pageOfSize(
  read: ReadPage,
  size: PageSize,
  cursor: string | undefined,
): Promise<Page<StoredEvent>> {
  for (;;) {
    try {
      return await read({ limit: size.rows, ...(cursor !== undefined && { cursor }) });
    } catch (error) {
      if (!(error instanceof QueryTooExpensiveError) || size.rows === 1) throw error;
      size.tooLarge(size.rows);
    }
  }
}

function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((bytes, { data, metadata }) => bytes + data.length + metadata.length, 0);
}
