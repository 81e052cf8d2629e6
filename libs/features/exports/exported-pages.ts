import type { StoredEvent } from '#event';
import {
  AdaptivePageSize,
  QueryTooExpensiveError,
  QueryTooSlowError,
  type EventQuery,
  type CursorPage,
} from '#store';

/** Reads one page of an export from the store, with at most `limit` events and `maxBytes` bytes. */
export type ExportPageReader = (
  page: Required<Pick<EventQuery, 'limit' | 'maxBytes'>> & Pick<EventQuery, 'cursor'>,
) => Promise<CursorPage<StoredEvent>>;

/** Target size of `data` and `metadata` in a page, in bytes. A query waits for the work on at most one such page. */
const pageBytes = 512 * 1024;
/** Limit of events in a page. ClickHouse reads a page of so many events with one thread. */
const mostEvents = 500;
/**
 * Bytes above which the store refuses a page of an export. Two events of the largest size fit, because the store reads
 * one event more than the page has. Without this limit, a page of large events could use 64 MiB, the store's limit for
 * every answer.
 */
const mostBytes = 4 * 1024 * 1024;

/**
 * Yields all pages of an export in order. The number of events in a page follows the size of the events in earlier
 * pages. As long as the store refuses a page as too large or too slow, fewer events are asked for, down to one.
 */
export async function* exportedPages(
  read: ExportPageReader,
): AsyncGenerator<readonly StoredEvent[], void, void> {
  const size = new AdaptivePageSize({ first: mostEvents, most: mostEvents, bytes: pageBytes });
  for (let cursor: string | undefined; ;) {
    let page: CursorPage<StoredEvent>;
    try {
      page = await read({ limit: size.rows, maxBytes: mostBytes, ...(cursor !== undefined && { cursor }) });
    } catch (error) {
      if (!(error instanceof QueryTooExpensiveError) || size.rows === 1) throw error;
      if (error instanceof QueryTooSlowError) size.tooSlow();
      else size.tooLarge(size.rows);
      continue;
    }
    yield page.items;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
    const bytes = page.items.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    size.learn(page.items.length, bytes);
  }
}
