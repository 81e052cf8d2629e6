import { collisionKey, streamNamePattern } from '#contracts';
import type { StreamDefinition } from '../definitions.js';
import { UnreadableDefinitionError, type DefinitionFold } from '../fold.js';
import { readStreamRecord } from './stream-record.js';

interface LiveStream {
  definition: StreamDefinition;
  /** Of the record that created it. */
  offset: number;
}

/** Streams by name. The first creation wins: what comes later for a stream that is there changes nothing. */
export class StreamFold implements DefinitionFold {
  readonly kind = 'stream';
  private readonly streams = new Map<string, LiveStream>();
  private readonly byCollisionKey = new Map<string, string>();

  apply({ name, value, offset }: { name: string; value: unknown; offset: number }): boolean {
    if (!streamNamePattern.test(name)) throw new UnreadableDefinitionError('not a name of a stream');
    if (value === undefined) return this.remove(name);
    const definition = readStreamRecord(name, value);
    if (this.streams.has(name)) return false;
    this.streams.set(name, { definition, offset });
    this.byCollisionKey.set(collisionKey(name), name);
    return true;
  }

  private remove(name: string): boolean {
    if (this.byCollisionKey.get(collisionKey(name)) === name) this.byCollisionKey.delete(collisionKey(name));
    return this.streams.delete(name);
  }

  get size(): number {
    return this.streams.size;
  }

  get(name: string): StreamDefinition | undefined {
    return this.streams.get(name)?.definition;
  }

  all(): StreamDefinition[] {
    return [...this.streams.values()].map(({ definition }) => definition);
  }

  /** The record at this offset is the one that created the stream. */
  createdBy(name: string, offset: number): boolean {
    return this.streams.get(name)?.offset === offset;
  }

  /** Another stream whose name Kafka cannot tell from this one. */
  colliding(name: string): string | undefined {
    const other = this.byCollisionKey.get(collisionKey(name));
    return other === name ? undefined : other;
  }
}
