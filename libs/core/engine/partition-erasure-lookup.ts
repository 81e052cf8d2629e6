import type { StreamId } from '#event';
import type { ErasureLookup } from './erasures.js';

/** Maximum number of entities whose look-up is cached, because each look-up computes a hash. */
const keptEntities = 10_000;

/** Looks up, with a cache, below which offset of one partition the events of an entity are erased. */
export class PartitionErasureLookup {
  private ends = new Map<string, number>();
  private version = -1;
  private concerned = false;

  constructor(
    private readonly all: ErasureLookup,
    private readonly place: { stream: StreamId; partition: number },
  ) {}

  /** Increases with every change of the definitions; equal values mean that the same erasures apply. */
  get asOf(): number {
    return this.all.version;
  }

  /** Whether any entity of the partition's stream was erased. */
  get any(): boolean {
    if (this.version !== this.all.version) this.beginAnew();
    return this.concerned;
  }

  /** Returns the offset below which the entity's events in this partition are erased; 0 if none are. */
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
