import { entityHash, streamNameOf, type StreamId } from '#event';
import { erasureName, type Definitions } from '#registry';

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

  /**
   * Returns whether any entity of the stream was erased. If not, which is the usual case, no further look-up is needed.
   */
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

  close(): void {
    this.stopListening();
  }
}
