import { limits, type StoredEvent } from '#event';
import {
  AdaptivePageSize,
  QueryTooExpensiveError,
  QueryTooSlowError,
  type EventQuery,
  type Page,
} from '#store';

/** Reads one page of events. */
export type ReadEventPage = (
  page: Required<Pick<EventQuery, 'limit' | 'maxBytes'>> & Pick<EventQuery, 'cursor'>,
) => Promise<Page<StoredEvent>>;

/** Target size of `data` and `metadata` in a page, in bytes. */
const pageBytes = 2 * 1024 * 1024;
/**
 * Limit of the store on one page, in bytes. Two events of the largest size always fit, because the store reads one event
 * more than the page has. Without this limit, the first page of large events would use 64 MiB, the limit of any answer.
 */
const mostBytes = 4 * 1024 * 1024;

/** Yields all pages in order. Only one page is in memory at a time. */
export async function* exportedPages(
  read: ReadEventPage,
): AsyncGenerator<readonly StoredEvent[], void, void> {
  const size = new AdaptivePageSize({ first: 500, most: limits.pageMax, bytes: pageBytes });
  for (let cursor: string | undefined; ;) {
    const page = await pageOfSize(read, size, cursor);
    yield page.items;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
    size.learn(page.items.length, bytesOf(page.items));
  }
}

/** Reads one page, with fewer events when the store refuses the size. */
async function pageOfSize(
  read: ReadEventPage,
  size: AdaptivePageSize,
  cursor: string | undefined,
): Promise<Page<StoredEvent>> {
  for (;;) {
    try {
      return await read({ limit: size.rows, maxBytes: mostBytes, ...(cursor !== undefined && { cursor }) });
    } catch (error) {
      if (!(error instanceof QueryTooExpensiveError) || size.rows === 1) throw error;
      if (error instanceof QueryTooSlowError) size.tooSlow();
      else size.tooLarge(size.rows);
    }
  }
}

function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((bytes, { data, metadata }) => bytes + data.length + metadata.length, 0);
}
