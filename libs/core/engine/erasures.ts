import { entityHash, streamNameOf, type StreamId } from '#event';
import { LogUnavailableError } from '#kafka';
import { ProblemError } from '#api';
import { erasureName, systemActor, type Definitions, type Erasure } from '#registry';

/** Maximum number of entities whose look-up is cached, because each look-up computes a hash. */
const keptEntities = 10_000;

/** The methods of `Erasures` with which consumers of events look up what is erased. */
export type ErasureLookup = Pick<Erasures, 'version' | 'concern' | 'endOf'>;

/** Looks up erased entities in the definitions and follows changes to them. Streams are identified by their ids. */
export class Erasures {
  /** Increases with every change of the definitions, so that caches of look-ups know when to expire. */
  version = 0;
  private streams = new Set<string>();
  private streamsVersion = -1;
  private readonly stopListening: () => void;

  constructor(private readonly definitions: Pick<Definitions, 'erasures' | 'onChange'>) {
    this.stopListening = definitions.onChange(() => void this.version++);
  }

  /** Returns whether any entity of the stream was erased. If not, no further look-up is needed. */
  concern(stream: StreamId): boolean {
    if (this.streamsVersion !== this.version) {
      this.streams = new Set(this.definitions.erasures.all().map((erasure) => erasure.stream));
      this.streamsVersion = this.version;
    }
    return this.streams.has(stream);
  }

  /** Returns the offset below which the entity's events in this partition are erased; 0 if none are. */
  endOf({ stream, partition }: { stream: StreamId; partition: number }, entityId: string): number {
    const entity_hash = entityHash(streamNameOf(stream), entityId);
    return this.definitions.erasures.get(erasureName({ stream, entity_hash }))?.before[partition] ?? 0;
  }

  /**
   * Makes the stream's erasures end at `from` or before in a partition, because Kafka has lost the records from there on:
   * the records that have these offsets now are not erased.
   * @param complete Called with each such erasure before that, to remove the last rows that it covers.
   * @throws LogUnavailableError; the caller then repeats the call
   */
  async reuseOffsets(
    { stream, partition }: { stream: StreamId; partition: number },
    from: number,
    complete: (erasure: {
      stream: StreamId;
      entityHash: string;
      before: Erasure['before'];
    }) => Promise<unknown>,
  ): Promise<void> {
    const { erasures } = this.definitions;
    const endsLater = ({ before }: Erasure) => (before[partition] ?? 0) > from;
    for (const erasure of erasures.all()) {
      if (erasure.stream !== stream || !endsLater(erasure)) continue;
      await complete({ stream, entityHash: erasure.entity_hash, before: erasure.before });
      const next = (current: Erasure | undefined) =>
        current && endsLater(current)
          ? { ...current, before: { ...current.before, [partition]: from } }
          : current;
      try {
        await erasures.change(erasureName(erasure), next, systemActor);
      } catch (error) {
        if (!(error instanceof ProblemError) || error.code !== 'log_unavailable') throw error;
        throw new LogUnavailableError(error.message, { cause: error });
      }
    }
  }

  close(): void {
    this.stopListening();
  }
}

/** Looks up, with a cache, below which offset of one partition the events of an entity are erased. */
export class PartitionErasureLookup {
  private ends = new Map<string, number>();
  private version = -1;
  private concerned = false;

  constructor(
    private readonly all: ErasureLookup,
    private readonly partition: { stream: StreamId; partition: number },
  ) {}

  /** Increases with every change of the definitions; equal values mean that the same erasures apply. */
  get asOf(): number {
    return this.all.version;
  }

  /** Whether any entity of the partition's stream was erased. */
  get any(): boolean {
    if (this.version !== this.all.version) {
      this.version = this.all.version;
      this.concerned = this.all.concern(this.partition.stream);
      this.ends = new Map();
    }
    return this.concerned;
  }

  /** Returns the offset below which the entity's events in this partition are erased; 0 if none are. */
  endOf(entityId: string): number {
    if (!this.any) return 0;
    let end = this.ends.get(entityId);
    if (end === undefined) {
      if (this.ends.size >= keptEntities) this.ends.clear();
      end = this.all.endOf(this.partition, entityId);
      this.ends.set(entityId, end);
    }
    return end;
  }
}
