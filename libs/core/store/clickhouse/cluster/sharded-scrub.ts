import type { ScrubPassProgress, ScrubPassStore } from '../../scrub-passes.js';
import type { ScrubReader } from '../../scrub-reader.js';
import type { Shards } from './shards.js';

/** Reads what the scrub of a partition compares from the shard of the partition. */
export class ShardedScrubReader implements ScrubReader {
  constructor(private readonly shards: Shards) {}

  async unequalRanges(...[range]: Parameters<ScrubReader['unequalRanges']>) {
    return (await this.shards.of(range)).scrub.unequalRanges(range);
  }

  async eventsIn(...[range, isEqual]: Parameters<ScrubReader['eventsIn']>) {
    return (await this.shards.of(range)).scrub.eventsIn(range, isEqual);
  }

  async rememberedOffsets(...[range]: Parameters<ScrubReader['rememberedOffsets']>) {
    return (await this.shards.of(range)).scrub.rememberedOffsets(range);
  }

  async firstRemovedOffset(stream: string, partition: number) {
    return (await this.shards.of({ stream, partition })).scrub.firstRemovedOffset(stream, partition);
  }

  async knownVersions(...[query]: Parameters<ScrubReader['knownVersions']>) {
    return (await this.shards.of(query)).scrub.knownVersions(query);
  }
}

/** Keeps the progress in a partition in the shard of the partition. */
export class ShardedScrubPasses implements ScrubPassStore {
  /** @param reader Reads the tables of all shards. */
  constructor(
    private readonly shards: Shards,
    private readonly reader: ScrubPassStore,
  ) {}

  async save(progress: readonly ScrubPassProgress[]): Promise<void> {
    const groups = await this.shards.group(progress);
    await Promise.all([...groups].map(([{ scrubPasses }, own]) => scrubPasses.save(own)));
  }

  of(request: string): Promise<ScrubPassProgress[]> {
    return this.reader.of(request);
  }

  async inPartition(stream: string, partition: number): Promise<ScrubPassProgress[]> {
    return (await this.shards.of({ stream, partition })).scrubPasses.inPartition(stream, partition);
  }
}
