import type { OffsetRange } from '../log-order.js';
import type {
  KnownVersion,
  KnownVersionsQuery,
  RememberedOffsets,
  ScrubbedEvent,
  ScrubbedOffsets,
  ScrubReader,
} from '../scrub-reader.js';
import { longQuerySettings } from './connection/settings.js';
import { splitBySize } from './connection/split-by-size.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';
import {
  bucketOffsets,
  eventsInEqualTablesSql,
  eventsInSql,
  firstRemovedOffsetSql,
  knownVersionsSql,
  rememberedOffsetsSql,
  unequalBucketsSql,
} from './scrub-sql.js';

/** Reads what the scrub compares with the log from ClickHouse. */
export class ClickHouseScrubReader implements ScrubReader {
  constructor(private readonly connection: ClickHouseConnection) {}

  async unequalRanges(range: OffsetRange): Promise<ScrubbedOffsets[]> {
    // Others may have written to another replica.
    await this.connection.caughtUp();
    const rows = await this.lookUp<[number]>(unequalBucketsSql, { ...range });
    return rows.map(([bucket]) => ({ from: bucket * bucketOffsets, until: (bucket + 1) * bucketOffsets }));
  }

  async eventsIn(range: OffsetRange, isEqual: boolean): Promise<ScrubbedEvent[]> {
    const query = isEqual ? eventsInEqualTablesSql : eventsInSql;
    const rows = await this.lookUp<[number, string, number]>(query, { ...range });
    return rows.map(([offset, event_id, complete]) => ({ offset, event_id, complete: complete === 1 }));
  }

  async rememberedOffsets(range: OffsetRange): Promise<RememberedOffsets> {
    const found: RememberedOffsets = { stored: [], removed: [], deadLetters: [] };
    const rows = await this.lookUp<[keyof RememberedOffsets, number]>(rememberedOffsetsSql, { ...range });
    for (const [as, offset] of rows) found[as].push(offset);
    return found;
  }

  async firstRemovedOffset(stream: string, partition: number): Promise<number | undefined> {
    const [row] = await this.lookUp<[number]>(firstRemovedOffsetSql, { stream, partition });
    return row?.[0];
  }

  async knownVersions({ entityIds, ...range }: KnownVersionsQuery): Promise<KnownVersion[]> {
    const found: KnownVersion[] = [];
    for (const ids of splitBySize(entityIds)) {
      const params = { ...range, entityIds: ids };
      const rows = await this.lookUp<[string, number, number, string]>(knownVersionsSql, params);
      for (const [entity_id, offset, version, id] of rows)
        found.push({ entity_id, offset, version, event_id: id === '' ? null : id });
    }
    return found;
  }

  private lookUp<Row extends readonly unknown[]>(
    query: string,
    params: Record<string, unknown>,
  ): Promise<Row[]> {
    return this.connection.select<Row>(query, { params, settings: longQuerySettings, purpose: 'lookup' });
  }
}
