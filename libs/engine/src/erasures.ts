import { entityHash } from '#event';
import { concernsStream, standingErasure, type Definitions } from '#registry';

/** What materializing asks. */
export type KnownErasures = Pick<Erasures, 'version' | 'concern' | 'endOf'>;

/** What was erased of the streams that are there, as the definitions have it: kept up to date by them. */
export class Erasures {
  /** Goes up with every change. */
  version = 0;
  private streams = new Set<string>();
  private streamsVersion = -1;
  private readonly stopListening: () => void;

  constructor(private readonly definitions: Pick<Definitions, 'stream' | 'erasures' | 'onChange'>) {
    this.stopListening = definitions.onChange(() => void this.version++);
  }

  /** Whether anything of the stream was erased: most streams cost no more than this question. */
  concern(stream: string): boolean {
    if (this.streamsVersion !== this.version) {
      const standing = this.definitions.erasures.all().filter((one) => concernsStream(this.definitions, one));
      this.streams = new Set(standing.map((erasure) => erasure.stream));
      this.streamsVersion = this.version;
    }
    return this.streams.has(stream);
  }

  /** The entity's events below this offset of the partition are erased; 0 when none are. */
  endOf(place: { stream: string; partition: number }, entityId: string): number {
    const hash = entityHash(place.stream, entityId);
    return standingErasure(this.definitions, place.stream, hash)?.before[place.partition] ?? 0;
  }

  close(): void {
    this.stopListening();
  }
}
