import { compareUtf8 } from '#json';
import {
  historyStage,
  type ClosedStateRowsFilter,
  type DueStateRowsQuery,
  type KeyedHistoryReader,
  type KeyedStateReader,
  type KeyedStateRow,
  type KeyedStateStore,
  type PartitionCheckpoint,
  type StatePartitionKey,
  type UnmergedKeyedState,
} from '../../keyed-state-store.js';
import { groupByKey } from '../../state-keys.js';
import { groupBy, type Shards } from './shards.js';
import type { ShardStore } from './shard-store.js';

/** Input partitions whose shard is remembered, at most. */
const mostRemembered = 100_000;

/**
 * Keyed states and checkpoints, those of an input partition in one shard. What a processor decides on is read there; pages for the
 * gateway are read from all shards.
 */
export class ShardedKeyedStates implements KeyedStateStore, KeyedStateReader, KeyedHistoryReader {
  private readonly remembered = new Map<string, Promise<ShardStore>>();

  /**
   * @param name Names the table of the states.
   * @param reader Reads the tables of all shards.
   */
  constructor(
    private readonly shards: Shards,
    private readonly name: 'projections' | 'projectionResults' | 'pipelines',
    private readonly reader: KeyedStateReader,
  ) {}

  /** The states of each partition are in one shard, with their checkpoint: no state is ever ahead of it. */
  async save(rows: readonly KeyedStateRow[], progress: readonly PartitionCheckpoint[]): Promise<void> {
    const shardOf = (at: StatePartitionKey) => this.shardOf(at);
    const [ofRows, ofProgress] = [await groupBy(rows, shardOf), await groupBy(progress, shardOf)];
    const concerned = [...new Set([...ofRows.keys(), ...ofProgress.keys()])];
    await Promise.all(
      concerned.map((shard) => this.at(shard).save(ofRows.get(shard) ?? [], ofProgress.get(shard) ?? [])),
    );
  }

  async load(at: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]> {
    return (await this.of(at)).load(at, keys);
  }

  async due(at: StatePartitionKey, query: DueStateRowsQuery): Promise<KeyedStateRow[]> {
    return (await this.of(at)).due(at, query);
  }

  async progressOf(at: StatePartitionKey): Promise<PartitionCheckpoint | undefined> {
    return (await this.of(at)).progressOf(at);
  }

  async savedProgress(owner: string): Promise<PartitionCheckpoint[]> {
    return (await this.shards.map((shard) => shard.projections.savedProgress(owner))).flat();
  }

  async histories(owner: string, keys: readonly string[]): Promise<UnmergedKeyedState[]> {
    const found = await this.shards.map((shard) => shard.projections.histories(owner, keys));
    const rows = found.flat().flatMap((one) => one.parts);
    return groupByKey(rows.sort((a, b) => compareUtf8(a.key, b.key)));
  }

  async removeClosed(owner: string, closed: readonly ClosedStateRowsFilter[]): Promise<void> {
    await this.shards.map((shard) => this.at(shard).removeClosed(owner, closed));
  }

  async removeStages(owner: string, stages: readonly string[]): Promise<void> {
    await this.shards.map((shard) => this.at(shard).removeStages(owner, stages));
  }

  async remove(owner: string): Promise<void> {
    await this.shards.map((shard) => this.at(shard).remove(owner));
  }

  async owners(): Promise<string[]> {
    const owners = await this.shards.map((shard) => this.at(shard).owners());
    return [...new Set(owners.flat())].sort();
  }

  key(...query: Parameters<KeyedStateReader['key']>) {
    return this.reader.key(...query);
  }

  find(...query: Parameters<KeyedStateReader['find']>) {
    return this.reader.find(...query);
  }

  keys(...query: Parameters<KeyedStateReader['keys']>) {
    return this.reader.keys(...query);
  }

  changedKeys(...query: Parameters<KeyedStateReader['changedKeys']>) {
    return this.reader.changedKeys(...query);
  }

  countKeys(...query: Parameters<KeyedStateReader['countKeys']>) {
    return this.reader.countKeys(...query);
  }

  progress(...query: Parameters<KeyedStateReader['progress']>) {
    return this.reader.progress(...query);
  }

  private at(shard: ShardStore): KeyedStateStore {
    return shard[this.name];
  }

  private async of(partition: StatePartitionKey): Promise<KeyedStateStore> {
    return this.at(await this.shardOf(partition));
  }

  /**
   * Returns the shard of an input partition, which also has its histories: the one that has its checkpoint, and before the first checkpoint the one that a hash chooses.
   * @throws StoreUnavailableError if a shard does not answer and no other one has the checkpoint
   */
  private shardOf(of: StatePartitionKey): Promise<ShardStore> {
    const at = of.stage === historyStage ? { ...of, stage: '' } : of;
    const key = JSON.stringify([at.owner, at.stage, at.stream, at.partition]);
    const known = this.remembered.get(key);
    if (known) return known;
    const found = this.findShard(at);
    if (this.remembered.size >= mostRemembered) this.remembered.clear();
    this.remembered.set(key, found);
    found.catch(() => this.remembered.delete(key));
    return found;
  }

  private async findShard(at: StatePartitionKey): Promise<ShardStore> {
    const all = await this.shards.all();
    const asked = await Promise.allSettled(all.map((shard) => this.at(shard).progressOf(at)));
    const index = asked.findIndex((one) => one.status === 'fulfilled' && one.value !== undefined);
    if (index >= 0) return all[index]!;
    const failed = asked.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return this.shards.hashed(`${at.owner}/${at.stage}/${at.stream}`, at.partition);
  }
}
