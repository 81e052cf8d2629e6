import type { EpochMicros } from '#json';
import type { EventRowBatch } from '../../row-batch/event-row-batch.js';
import type { DeadLetter, EventWriter, PartitionShard } from '../../store.js';
import { groupBy, type Shards } from './shards.js';

/** Writes the events and dead letters of a partition into its shard, and looks there what is stored. */
export class ShardedEventWriter implements EventWriter {
  constructor(private readonly shards: Shards) {}

  async appendRowBatches(batches: readonly EventRowBatch[], token: string): Promise<void> {
    const groups = await groupBy(batches, ({ origin }) => this.shards.of(origin));
    await Promise.all([...groups].map(([{ writer }, own]) => writer.appendRowBatches(own, token)));
  }

  async appendDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void> {
    const groups = await this.shards.group(deadLetters);
    await Promise.all([...groups].map(([{ writer }, own]) => writer.appendDeadLetters(own)));
  }

  /** Each shard marks those that it has. */
  async markReplayed(ids: readonly string[], at: EpochMicros): Promise<void> {
    await this.shards.map(({ writer }) => writer.markReplayed(ids, at));
  }

  async shardOf(stream: string, partition: number): Promise<PartitionShard> {
    const [all, shard] = [await this.shards.all(), await this.shards.of({ stream, partition })];
    return { shard: all.indexOf(shard), shards: all.length };
  }

  async lastStoredOffset(stream: string, partition: number): Promise<number | undefined> {
    const { writer } = await this.shards.of({ stream, partition });
    return writer.lastStoredOffset(stream, partition);
  }

  async storedEvents(...[range]: Parameters<EventWriter['storedEvents']>) {
    return (await this.shards.of(range)).writer.storedEvents(range);
  }

  async countFrom(...[query]: Parameters<EventWriter['countFrom']>) {
    return (await this.shards.of(query)).writer.countFrom(query);
  }

  async eventsAt(...[query]: Parameters<EventWriter['eventsAt']>) {
    return (await this.shards.of(query)).writer.eventsAt(query);
  }

  async latestVersions(...[query]: Parameters<EventWriter['latestVersions']>) {
    return (await this.shards.of(query)).writer.latestVersions(query);
  }

  async versionsOf(...[query]: Parameters<EventWriter['versionsOf']>) {
    return (await this.shards.of(query)).writer.versionsOf(query);
  }

  async offsetsOf(...[query]: Parameters<EventWriter['offsetsOf']>) {
    return (await this.shards.of(query)).writer.offsetsOf(query);
  }

  async idsIn(...[range]: Parameters<EventWriter['idsIn']>) {
    return (await this.shards.of(range)).writer.idsIn(range);
  }
}
