import { compareUtf8 } from '#json';
import {
  historyStage,
  type ChangedKeysQuery,
  type ClosedStateRowsFilter,
  type DueStateRowsQuery,
  type UnmergedKeyedState,
  type KeyedHistoryReader,
  type KeyedStateReader,
  type KeyedStateStore,
  type KeyedStatePageQuery,
  type StatePartitionKey,
  type PartitionCheckpoint,
  type KeyedStateRow,
} from '../keyed-state-store.js';
import { assertStateKeysBounded, groupByKey } from '../state-keys.js';
import { compareKeys } from './memory-order.js';

/** In-memory fake of the keyed states of projections or pipelines, for specs. */
export class MemoryKeyedStates implements KeyedStateStore, KeyedStateReader, KeyedHistoryReader {
  private readonly rows = new Map<string, KeyedStateRow>();
  private readonly ends = new Map<string, PartitionCheckpoint>();

  /** @param derived states that are derived from these: the rows of an owner are removed from them, too */
  constructor(private readonly derived?: MemoryKeyedStates) {}

  async save(rows: readonly KeyedStateRow[], progress: readonly PartitionCheckpoint[]): Promise<void> {
    for (const row of rows) {
      const known = this.rows.get(identityOf(row, row.key));
      if (!known || known.position <= row.position) this.rows.set(identityOf(row, row.key), { ...row });
    }
    for (const end of progress) {
      const known = this.ends.get(identityOf(end));
      if (!known || known.next <= end.next) this.ends.set(identityOf(end), { ...end });
    }
  }

  async load(place: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]> {
    assertStateKeysBounded(keys);
    return [...new Set(keys)].flatMap((key) => {
      const row = this.rows.get(identityOf(place, key));
      return row ? [{ ...row }] : [];
    });
  }

  async due(place: StatePartitionKey, { until, after, limit }: DueStateRowsQuery): Promise<KeyedStateRow[]> {
    const order = ({ closes_at, key }: { closes_at: number; key: string }) => [closes_at, key];
    return [...this.rows.values()]
      .filter((row) => identityOf(row) === identityOf(place) && row.closes_at <= until)
      .filter((row) => !after || compareKeys(order(row), order(after)) > 0)
      .sort((a, b) => compareKeys(order(a), order(b)))
      .slice(0, limit)
      .map((row) => ({ ...row }));
  }

  async progressOf(place: StatePartitionKey): Promise<PartitionCheckpoint | undefined> {
    const end = this.ends.get(identityOf(place));
    return end && { ...end };
  }

  async removeClosed(owner: string, closed: readonly ClosedStateRowsFilter[]): Promise<void> {
    this.removeRows((row) =>
      closed.some(
        ({ stage, partition, until }) =>
          row.owner === owner && row.stage === stage && row.partition === partition && row.closes_at <= until,
      ),
    );
  }

  async removeStages(owner: string, stages: readonly string[]): Promise<void> {
    this.removeAll((place) => place.owner === owner && stages.includes(place.stage));
  }

  async remove(owner: string): Promise<void> {
    this.removeAll((place) => place.owner === owner);
    await this.derived?.remove(owner);
  }

  async owners(): Promise<string[]> {
    const all = [...this.rows.values(), ...this.ends.values()];
    const derived = (await this.derived?.owners()) ?? [];
    return [...new Set([...all.map(({ owner }) => owner), ...derived])].sort(compareUtf8);
  }

  async key(owner: string, key: string): Promise<UnmergedKeyedState | undefined> {
    return this.keysOf(owner).find((found) => found.key === key);
  }

  async find(owner: string, keys: readonly string[]): Promise<UnmergedKeyedState[]> {
    assertStateKeysBounded(keys);
    return this.keysOf(owner).filter(({ key }) => keys.includes(key));
  }

  async histories(owner: string, keys: readonly string[]): Promise<UnmergedKeyedState[]> {
    assertStateKeysBounded(keys);
    return this.keysOf(owner, { histories: true }).filter(({ key }) => keys.includes(key));
  }

  async savedProgress(owner: string): Promise<PartitionCheckpoint[]> {
    return this.progress([owner]);
  }

  async keys({ owner, limit, after, prefix }: KeyedStatePageQuery): Promise<UnmergedKeyedState[]> {
    return this.keysOf(owner, { prefix })
      .filter(({ key }) => after === undefined || compareUtf8(key, after) > 0)
      .slice(0, limit);
  }

  async changedKeys({ owner, since, limit, after }: ChangedKeysQuery): Promise<UnmergedKeyedState[]> {
    const isChanged = (row: KeyedStateRow) =>
      since.some(
        ({ stream, partition, offset }) =>
          row.stream === stream && row.partition === partition && row.position >= offset,
      );
    return this.keysOf(owner)
      .filter(
        ({ key, parts }) => parts.some(isChanged) && (after === undefined || compareUtf8(key, after) > 0),
      )
      .slice(0, limit);
  }

  async countKeys({ owner, prefix }: Pick<KeyedStatePageQuery, 'owner' | 'prefix'>): Promise<number> {
    return this.keysOf(owner, { prefix }).length;
  }

  async progress(owners: readonly string[]): Promise<PartitionCheckpoint[]> {
    const order = ({ owner, stage, stream, partition }: StatePartitionKey) => [
      owner,
      stage,
      stream,
      partition,
    ];
    return [...this.ends.values()]
      .filter(({ owner }) => owners.includes(owner))
      .sort((a, b) => compareKeys(order(a), order(b)))
      .map((end) => ({ ...end }));
  }

  private keysOf(owner: string, { prefix = '', histories = false } = {}): UnmergedKeyedState[] {
    const order = ({ key, stream, partition }: KeyedStateRow) => [key, stream, partition];
    const rows = [...this.rows.values()]
      .filter((row) => row.owner === owner && row.key.startsWith(prefix))
      .filter(({ stage }) => (stage === historyStage) === histories)
      .sort((a, b) => compareKeys(order(a), order(b)));
    return groupByKey(rows.map((row) => ({ ...row })));
  }

  private removeAll(isOne: (place: StatePartitionKey) => boolean): void {
    this.removeRows(isOne);
    for (const [identity, end] of this.ends) if (isOne(end)) this.ends.delete(identity);
  }

  private removeRows(isOne: (row: KeyedStateRow) => boolean): void {
    for (const [identity, row] of this.rows) if (isOne(row)) this.rows.delete(identity);
  }
}

function identityOf({ owner, stage, stream, partition }: StatePartitionKey, key?: string): string {
  return JSON.stringify([owner, stage, stream, partition, key]);
}
