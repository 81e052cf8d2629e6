import type { StreamId } from '#event';
import type { ErasureLookup } from './erasures.js';

/** Number of entities whose result is cached: each look-up computes a hash. */
const keptEntities = 10_000;

/** Looks up erasures of one partition for each record, with a cache. */
export class PartitionErasures {
  private ends = new Map<string, number>();
  private version = -1;
  private concerned = false;

  constructor(
    private readonly all: ErasureLookup,
    private readonly place: { stream: StreamId; partition: number },
  ) {}

  /** Version of the erasures; it increases with every change. */
  get asOf(): number {
    return this.all.version;
  }

  /** Whether any entity of the stream was erased. */
  get any(): boolean {
    if (this.version !== this.all.version) this.beginAnew();
    return this.concerned;
  }

  /** Returns the offset below which the entity's events are erased; 0 if none are. */
  endOf(entityId: string): number {
    if (!this.any) return 0;
    let end = this.ends.get(entityId);
    if (end === undefined) {
      if (this.ends.size >= keptEntities) this.ends.clear();
      end = this.all.endOf(this.place, entityId);
      this.ends.set(entityId, end);
    }
    return end;
  }

  private beginAnew(): void {
    this.version = this.all.version;
    this.concerned = this.all.concern(this.place.stream);
    this.ends = new Map();
  }
}
