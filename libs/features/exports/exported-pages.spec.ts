import { describe, expect, it } from 'vitest';
import { limits, type StoredEvent } from '#event';
import { QueryTooExpensiveError, QueryTooSlowError } from '#store';
import { exportedPages, type ExportPageReader } from './exported-pages.js';

/** Reads pages of events of one size, and refuses larger pages than asked for, as the store does. */
class Pages {
  /** The events of each page that was read, and of each that was refused. */
  readonly read: number[] = [];
  readonly refused: number[] = [];

  constructor(private readonly stored: { events: number; bytes: number }) {}

  readonly page: ExportPageReader = ({ limit, maxBytes, cursor }) => {
    const { events, bytes } = this.stored;
    const first = Number(cursor ?? 0);
    const found = Math.min(limit + 1, events - first);
    if (found * bytes > maxBytes) {
      this.refused.push(limit);
      return Promise.reject(new QueryTooExpensiveError('The page is larger than allowed.'));
    }
    const items = Array.from({ length: Math.min(limit, found) }, () => this.event);
    this.read.push(items.length);
    return Promise.resolve({ items, ...(found > limit && { nextCursor: String(first + limit) }) });
  };

  private get event(): StoredEvent {
    return { data: 'x'.repeat(this.stored.bytes), metadata: '' } as StoredEvent;
  }
}

async function exported(pages: Pages): Promise<number> {
  let events = 0;
  for await (const page of exportedPages(pages.page)) events += page.length;
  return events;
}

describe('the pages of an export', () => {
  it('have 500 events while events are small', async () => {
    const pages = new Pages({ events: 50_000, bytes: 1_000 });
    expect(await exported(pages)).toBe(50_000);
    expect(pages.refused).toEqual([]);
    expect(new Set(pages.read)).toEqual(new Set([500]));
  });

  it('have about half a mebibyte while events are larger', async () => {
    const pages = new Pages({ events: 5_000, bytes: 4_096 });
    expect(await exported(pages)).toBe(5_000);
    expect(pages.refused).toEqual([]);
    expect(pages.read.slice(0, 3)).toEqual([500, 128, 128]);
  });

  it('shrink to a few events while events are large, and no page exceeds four mebibytes', async () => {
    const pages = new Pages({ events: 600, bytes: 300_000 });
    expect(await exported(pages)).toBe(600);
    expect(pages.refused).toEqual([500, 125, 31]);
    expect(new Set(pages.read)).toEqual(new Set([7, 1]));
  });

  it('have at least one event, however large it is', async () => {
    expect(await exported(new Pages({ events: 20, bytes: 1.5 * limits.eventBytes }))).toBe(20);
  });

  it('shrink to one event at once after a page that takes too long', async () => {
    const pages = new Pages({ events: 30, bytes: 10 });
    const asked: number[] = [];
    const read: ExportPageReader = (page) => {
      asked.push(page.limit);
      return asked.length === 1
        ? Promise.reject(new QueryTooSlowError('It took too long.'))
        : pages.page(page);
    };
    const found: number[] = [];
    for await (const page of exportedPages(read)) found.push(page.length);
    expect(asked).toEqual([500, 1, 4, 16, 64]);
    expect(found).toEqual([1, 4, 16, 9]);
  });

  it('fail if the store refuses even one event', async () => {
    await expect(exported(new Pages({ events: 20, bytes: 8 * limits.eventBytes }))).rejects.toBeInstanceOf(
      QueryTooExpensiveError,
    );
  });
});
