import { entityHash } from '#contracts';
import { erasureName, type Definitions } from '#definitions';

/** What materializing asks. */
export type KnownErasures = Pick<Erasures, 'version' | 'concern' | 'endOf'>;

/** What was erased, as the definitions have it: kept up to date by them. */
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
  concern(stream: string): boolean {
    if (this.streamsVersion !== this.version) {
      this.streams = new Set(this.definitions.erasures.all().map((erasure) => erasure.stream));
      this.streamsVersion = this.version;
    }
    return this.streams.has(stream);
  }

  /** The entity's events below this offset of the partition are erased; 0 when none are. */
  endOf(place: { stream: string; partition: number }, entityId: string): number {
    const name = erasureName(place.stream, entityHash(place.stream, entityId));
    return this.definitions.erasures.get(name)?.before[place.partition] ?? 0;
  }

  close(): void {
    this.stopListening();
  }
}
