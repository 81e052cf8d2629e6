import type { EventRemover } from '../../event-remover.js';
import type { Shards } from './shards.js';

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Removes events from the shards that have them. */
export class ShardedEventRemover implements EventRemover {
  constructor(private readonly shards: Shards) {}

  async eraseEntity(...[erasure]: Parameters<EventRemover['eraseEntity']>): Promise<number> {
    return sum(await this.shards.map(({ eraser }) => eraser.eraseEntity(erasure)));
  }

  async countEntity(...[erasure]: Parameters<EventRemover['countEntity']>): Promise<number> {
    return sum(await this.shards.map(({ eraser }) => eraser.countEntity(erasure)));
  }

  async expire(...[query]: Parameters<EventRemover['expire']>): Promise<number> {
    return sum(await this.shards.map(({ eraser }) => eraser.expire(query)));
  }

  async truncate(...[query]: Parameters<EventRemover['truncate']>): Promise<number> {
    return (await this.shards.of(query)).eraser.truncate(query);
  }

  async removeLost(...[lost]: Parameters<EventRemover['removeLost']>): Promise<void> {
    await (await this.shards.of(lost)).eraser.removeLost(lost);
  }

  async reuseOffsets(...[query]: Parameters<EventRemover['reuseOffsets']>): Promise<void> {
    await (await this.shards.of(query)).eraser.reuseOffsets(query);
  }

  async dropStream(stream: string): Promise<void> {
    await this.shards.map(({ eraser }) => eraser.dropStream(stream));
  }

  /** A stream whose rows are in several shards counts once for each. */
  async removeLateRows(): Promise<number> {
    return sum(await this.shards.map(({ eraser }) => eraser.removeLateRows()));
  }

  async purge(): Promise<void> {
    await this.shards.map(({ eraser }) => eraser.purge());
  }
}
