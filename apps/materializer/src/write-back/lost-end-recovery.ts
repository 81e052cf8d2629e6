import { reportLostRecords, type Erasures } from '#engine';
import { encodeRecord, type StreamId } from '#event';
import type { Producer, ProducerRecord, TopicPartition } from '#kafka';
import { maxEventsOfPartition, maxRangeOffsets, type EventRemover, type OffsetAndEventId } from '#store';
import { eventsWrittenBack } from '../metrics/materializer-metrics.js';
import type { LostEnd } from '../partition/materialized-partition.js';
import type { MaterializerDependencies } from '../partition/materializer-dependencies.js';
import { lostOffsetHeader } from '../rows/lost-offset.js';

/** Error: Kafka has lost so many stored events that it is probably not the log that belongs to the store. */
export class TooManyLostEventsError extends Error {
  override readonly name = 'TooManyLostEventsError';
}

/** What a `LostEndRecovery` needs. */
export interface LostEndRecoveryOptions extends Pick<
  MaterializerDependencies,
  'writer' | 'retry' | 'logger' | 'verdicts' | 'publisher'
> {
  eraser: Pick<EventRemover, 'eraseEntity' | 'removeLost' | 'reuseOffsets'>;
  erasures: Pick<Erasures, 'reuseOffsets'>;
  producer: () => Promise<Producer>;
  /** Maximum number of stored events of a partition that are written back. */
  mostEvents: number;
}

/** The partition of a stream whose end Kafka has lost. */
interface PartitionWithLostEnd extends TopicPartition {
  stream: StreamId;
}

/** Time limit in milliseconds of one attempt to read the verdicts; a failed attempt is repeated. */
const upToDateMs = 10_000;
/** Bytes of records in one append, at least one record. */
const appendBytes = 4 * 1024 * 1024;

/**
 * Repairs a partition whose end Kafka has lost (a broker lost power, or a replica without the records became the
 * leader). The store may have the last copy of acknowledged events: they are written to the end of the partition again, with
 * their ids, and only then are their old rows removed. Every step can be repeated: a crash between the two yields a repeat,
 * which is looked up in the store when it is read.
 */
export class LostEndRecovery {
  constructor(private readonly options: LostEndRecoveryOptions) {}

  /**
   * Prepares an assigned partition before its records are read: what was decided, erased or removed at the lost offsets
   * does not apply to the records that have these offsets now. If there are no such records, the lost events are written
   * back; otherwise this is left to the reader of these records, who knows which events are lost.
   * @throws TooManyLostEventsError and changes nothing, if more events than `mostEvents` may be lost
   */
  async begin(
    partition: PartitionWithLostEnd,
    { from, until, end }: LostEnd,
    ended: AbortSignal,
  ): Promise<void> {
    const { writer, eraser, erasures, retry, logger, verdicts, publisher, mostEvents } = this.options;
    reportLostRecords(partition, { from, until }, { consumer: 'materializer', logger });
    const query = { stream: partition.stream, partition: partition.partition, from };
    const stored = await retry.run('store', ended, () => writer.countFrom(query));
    if (stored > mostEvents)
      throw new TooManyLostEventsError(
        `Kafka has lost the records of ${partition.topic}/${partition.partition} from offset ${from} on, and the store has ${stored} events there, more than WRITE_BACK_EVENTS (${mostEvents}). Nothing was changed. Is this the Kafka that belongs to this database? If it is, set WRITE_BACK_EVENTS to at least ${stored}: the events are then written to Kafka again`,
      );
    if (await retry.run('log', ended, () => verdicts.readyIfUsed())) {
      await retry.run('log', ended, () => verdicts.upToDate(upToDateMs));
      await retry.run('log', ended, () => publisher.reset(partition, from));
    }
    await retry.run('log', ended, () =>
      erasures.reuseOffsets(partition, from, (erasure) => eraser.eraseEntity(erasure)),
    );
    await retry.run('store', ended, () => eraser.reuseOffsets(query));
    // Without other records at the lost offsets, no batch leads to `writeBack`.
    for (let start = from; end <= from && start < until; start += maxRangeOffsets) {
      const range = { ...query, from: start, until: Math.min(start + maxRangeOffsets, until) };
      const beyond = await retry.run('store', ended, () => writer.storedEvents(range));
      await this.writeBack(partition, beyond, { ended, end });
    }
  }

  /**
   * Writes stored events, in offset order, to the end of their partition again, and then removes their rows. If no record
   * follows the lost ones, events usually get their old offsets: their rows stay, because another process that has taken over
   * the partition meanwhile relies on them.
   * @param end The end of the log, if no record follows the lost ones.
   */
  async writeBack(
    { stream, topic, partition }: PartitionWithLostEnd,
    lost: readonly OffsetAndEventId[],
    { ended, end = -1 }: { ended: AbortSignal; end?: number },
  ): Promise<void> {
    const { writer, eraser, retry } = this.options;
    let next = end;
    for (let at = 0; at < lost.length; at += maxEventsOfPartition) {
      const events = lost.slice(at, at + maxEventsOfPartition);
      const query = { stream, partition, events };
      const rows = await retry.run('store', ended, () => writer.eventsAt(query));
      const records = rows.map((row): ProducerRecord => ({
        topic,
        partition,
        key: row.entity_id ?? row.event_id,
        value: encodeRecord(row),
        headers: { [lostOffsetHeader]: String(row.offset) },
      }));
      const offsets: number[] = [];
      for (const some of splitByBytes(records)) offsets.push(...(await this.append(some, ended)));
      eventsWrittenBack.inc(records.length);
      const right = new Set<string>();
      for (const [i, row] of rows.entries())
        // After a gap, records of others can be between them.
        if (row.offset === next && offsets[i] === next) {
          right.add(keyOf(row));
          next++;
        }
      const moved = events.filter((event) => !right.has(keyOf(event)));
      await retry.run('store', ended, () => eraser.removeLost({ ...query, events: moved }));
    }
  }

  /** Resolves with the offsets of the records. */
  private async append(records: readonly ProducerRecord[], ended: AbortSignal): Promise<number[]> {
    const { retry, producer } = this.options;
    return await retry.run('log', ended, async () => {
      const open = await producer();
      try {
        return (await open.append(records)).map(({ offset }) => offset);
      } finally {
        await open.close();
      }
    });
  }
}

function keyOf({ offset, event_id }: OffsetAndEventId): string {
  return `${offset} ${event_id}`;
}

function* splitByBytes(records: readonly ProducerRecord[]): Generator<ProducerRecord[]> {
  let some: ProducerRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(record.value ?? '');
    if (some.length > 0 && bytes + size > appendBytes) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(record);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
