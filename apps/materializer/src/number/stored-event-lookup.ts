import { maxRangeOffsets, type EventRowBatch, type EventWriter, type OffsetRange } from '#store';

interface StoredEventLookupOptions {
  writer: Pick<EventWriter, 'storedEvents'>;
  stream: string;
  partition: number;
  /** The greatest stored offset of the partition at its assignment; -1 if the store had no event of the partition. */
  last: number;
}

/**
 * Finds the events of a partition that the store already has, so that the events are not inserted again after a
 * restart. Up to the greatest stored offset, the look-up queries the store for each batch. The look-up caches nothing.
 */
export class StoredEventLookup {
  private hasReported = false;

  /** @param onOtherEvent Called once, with the first offset at which the store has another event than Kafka. */
  constructor(
    private readonly options: StoredEventLookupOptions,
    private readonly onOtherEvent: (offset: number) => void,
  ) {}

  /** Returns whether an event at or after this offset may have been stored before the partition was assigned. */
  mayHave(offset: number): boolean {
    return offset <= this.options.last;
  }

  /**
   * Resolves with the indexes of the rows that are already stored: the store has the same event id at the same offset.
   */
  async among(rows: EventRowBatch): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    for (let from = 0; from < rows.count && rows.offsetOf(from) <= this.options.last;) {
      const until = this.endOfRange(rows, from);
      await this.find(rows, { from, until }, found);
      from = until;
    }
    return found;
  }

  private endOfRange(rows: EventRowBatch, from: number): number {
    const last = Math.min(this.options.last, rows.offsetOf(from) + maxRangeOffsets - 1);
    let until = from + 1;
    while (until < rows.count && rows.offsetOf(until) <= last) until++;
    return until;
  }

  private async find(
    rows: EventRowBatch,
    { from, until }: { from: number; until: number },
    found: Set<number>,
  ): Promise<void> {
    const { writer, stream, partition } = this.options;
    const range: OffsetRange = {
      ...{ stream, partition },
      from: rows.offsetOf(from),
      until: rows.offsetOf(until - 1) + 1,
    };
    const ids = new Map<number, string[]>();
    for (const { offset, event_id } of await writer.storedEvents(range)) {
      const known = ids.get(offset);
      if (known) known.push(event_id);
      else ids.set(offset, [event_id]);
    }
    for (let row = from; row < until; row++) {
      const offset = rows.offsetOf(row);
      const known = ids.get(offset);
      if (!known) continue;
      if (known.includes(rows.eventIdOf(row))) found.add(row);
      else this.report(offset);
    }
  }

  private report(offset: number): void {
    if (this.hasReported) return;
    this.hasReported = true;
    this.onOtherEvent(offset);
  }
}
