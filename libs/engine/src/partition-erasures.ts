import type { StreamId } from '#event';
import type { KnownErasures } from './erasures.js';

/** Entities whose answer is kept: it takes a hash each. */
const keptEntities = 10_000;

/** What of one partition was erased, asked record by record. */
export class PartitionErasures {
  private ends = new Map<string, number>();
  private version = -1;
  private concerned = false;

  constructor(
    private readonly all: KnownErasures,
    private readonly place: { stream: StreamId; partition: number },
  ) {}

  /** Goes up with every change. */
  get asOf(): number {
    return this.all.version;
  }

  /** Whether anything of the stream was erased. */
  get any(): boolean {
    if (this.version !== this.all.version) this.beginAnew();
    return this.concerned;
  }

  /** The entity's events below this offset are erased; 0 when none are. */
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
