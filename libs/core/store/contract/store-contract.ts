import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { allStreams } from '#api';
import type { StoredEvent } from '#event';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import type {
  EventCountQuery,
  DeadLetterQuery,
  EntitySummariesQuery,
  EventQuery,
  EventRow,
  LogOrderQuery,
  CursorPage,
  AuthorizationScope,
  Store,
  StreamSummariesQuery,
} from '../store.js';

/** The store under test, and a function that closes and removes it. */
export interface StoreUnderTest {
  store: Store;
  close(): Promise<void>;
}

type Unscoped<Query> = Omit<Query, keyof AuthorizationScope>;
/** A query for events without its authorization scope; the specs' default scope is every stream. */
export type UnscopedEventQuery = Unscoped<EventQuery>;

/**
 * Wraps the store under test for the contract's specs. Queries of the harness have access to all streams unless a spec
 * limits them.
 */
export class StoreContractFixture {
  store: Store;
  private underTest: StoreUnderTest | undefined;

  constructor(private readonly openStore: () => Promise<StoreUnderTest>) {}

  async open(): Promise<void> {
    this.underTest = await this.openStore();
    this.store = this.underTest.store;
  }

  /** Does nothing if the store is closed already. */
  async close(): Promise<void> {
    const { underTest } = this;
    this.underTest = undefined;
    await underTest?.close();
  }

  write(rows: EventRow[]): Promise<void> {
    return this.store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
  }

  query(query: UnscopedEventQuery) {
    return this.store.reader.query({ access: allStreams, ...query });
  }

  inLogOrder(query: Omit<Unscoped<LogOrderQuery>, 'maxBytes'> & { maxBytes?: number }) {
    return this.store.reader.inLogOrder({ access: allStreams, maxBytes: 1e8, ...query });
  }

  count(query: Unscoped<EventCountQuery>) {
    return this.store.reader.count({ access: allStreams, ...query });
  }

  byId(eventId: string) {
    return this.store.reader.byId({ access: allStreams, eventId });
  }

  streams(query: Unscoped<StreamSummariesQuery> = {}) {
    return this.store.reader.streams({ access: allStreams, ...query });
  }

  entities(query: Unscoped<EntitySummariesQuery>) {
    return this.store.reader.entities({ access: allStreams, ...query });
  }

  deadLetters(query: Unscoped<DeadLetterQuery>) {
    return this.store.reader.deadLetters({ access: allStreams, ...query });
  }

  /** Returns the first 1000 events of a stream. */
  async eventsOf(stream: string): Promise<StoredEvent[]> {
    return (await this.query({ streams: [stream], order: 'asc', limit: 1000 })).items;
  }

  /** Reads all pages of a query by following the cursors. */
  async readAll(query: UnscopedEventQuery & Partial<AuthorizationScope>): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    let cursor: string | undefined;
    do {
      const page: CursorPage<StoredEvent> = await this.query({ ...query, cursor });
      expect(page.items.length).toBeLessThanOrEqual(query.limit);
      if (page.nextCursor) expect(page.items).toHaveLength(query.limit);
      events.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor);
    return events;
  }
}
