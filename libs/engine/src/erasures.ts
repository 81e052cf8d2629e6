import { entityHash, streamName, type StreamId } from '#event';
import { erasureName, type Definitions } from '#registry';

/** What materializing asks. */
export type KnownErasures = Pick<Erasures, 'version' | 'concern' | 'endOf'>;

/** What was erased, as the definitions have it: kept up to date by them. Streams are told by their ids. */
export class Erasures {
  /** Goes up with every change. */
  version = 0;
  private streams = new Set<string>();
  private streamsVersion = -1;
  private readonly stopListening: () => void;

  constructor(private readonly definitions: Pick<Definitions, 'erasures' | 'onChange'>) {
    this.stopListening = definitions.onChange(() => void this.version++);
  }

  /** Whether anything of the stream was erased: most streams cost no more than this question. */
  concern(stream: StreamId): boolean {
    if (this.streamsVersion !== this.version) {
      this.streams = new Set(this.definitions.erasures.all().map((erasure) => erasure.stream));
      this.streamsVersion = this.version;
    }
    return this.streams.has(stream);
  }

  /** The entity's events below this offset of the partition are erased; 0 when none are. */
  endOf({ stream, partition }: { stream: StreamId; partition: number }, entityId: string): number {
    const entity_hash = entityHash(streamName(stream), entityId);
    return this.definitions.erasures.get(erasureName({ stream, entity_hash }))?.before[partition] ?? 0;
  }

  close(): void {
    this.stopListening();
  }
}
