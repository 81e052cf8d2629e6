import { maxStretch, type EventRow, type EventWriter, type Stretch } from '#store';

export interface StoredEventsOptions {
  writer: Pick<EventWriter, 'stored'>;
  stream: string;
  partition: number;
  /** The greatest offset that the store had at the assignment; -1 without any. */
  last: number;
  /** Called once when the store holds another event at an offset of the log. */
  others(offset: number): void;
}

/**
 * Which of a partition's events the store has already, so that they are not written again after a restart. It is asked
 * batch by batch, and not at all past its greatest offset: nothing is held.
 */
export class StoredEvents {
  private told = false;

  constructor(private readonly options: StoredEventsOptions) {}

  /** Those of the rows, which are in offset order, that are stored: the same event at the same offset. */
  async among(rows: readonly EventRow[]): Promise<ReadonlySet<EventRow>> {
    const found = new Set<EventRow>();
    const asked = rows.filter(({ offset }) => offset <= this.options.last);
    for (let i = 0; i < asked.length;) {
      const from = asked[i]!.offset;
      let end = i;
      while (end < asked.length && asked[end]!.offset < from + maxStretch) end++;
      await this.look(asked.slice(i, end), found);
      i = end;
    }
    return found;
  }

  private async look(rows: readonly EventRow[], found: Set<EventRow>): Promise<void> {
    const { writer, stream, partition } = this.options;
    const stretch: Stretch = {
      ...{ stream, partition },
      from: rows[0]!.offset,
      until: rows.at(-1)!.offset + 1,
    };
    const ids = new Map<number, string[]>();
    for (const { offset, event_id } of await writer.stored(stretch)) {
      const known = ids.get(offset);
      if (known) known.push(event_id);
      else ids.set(offset, [event_id]);
    }
    for (const row of rows) {
      const known = ids.get(row.offset);
      if (!known) continue;
      if (known.includes(row.event_id.toLowerCase())) found.add(row);
      else this.tell(row.offset);
    }
  }

  private tell(offset: number): void {
    if (this.told) return;
    this.told = true;
    this.options.others(offset);
  }
}
