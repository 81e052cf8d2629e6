import { createHash } from 'node:crypto';
import type { StreamId } from '#event';

interface StreamOffsets {
  /** The next offset, by partition. */
  next: number[];
  /** The text of this stream's segment; undefined after a change. */
  text: string | undefined;
}

/** Offsets of one partition that the position of a live stream includes and the position of another does not. */
export interface CatchUpRange {
  key: string;
  partition: number;
  from: number;
  until: number;
}

const keyLength = 8;

/** Limit of a position as text, in characters: it must fit into a request's headers, which Node limits to 16 KiB. */
export const maxIdCharacters = 12_000;

/** Returns the key of a stream in positions: 48 bits of a hash of its id. */
export function streamKey(id: StreamId): string {
  return hash(id);
}

/**
 * Returns the hash of a live stream's filters that becomes part of its positions. A client that sends a position with
 * the hash of other filters is refused.
 */
export function bindingOf(question: unknown): string {
  return hash(JSON.stringify(question));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, keyLength);
}

/**
 * The position of a live stream: one offset for each partition of some event streams. The position includes every event
 * below these offsets, and no other. A position includes nothing of a partition that it does not name, so a stream that
 * is created later is read from its beginning. The text of a position is its binding, then for each stream `.`, the key
 * of the stream, and base64url of its offsets as LEB128. The offsets are in the order of the partitions, without the
 * zeros at the end.
 */
export class LivePosition {
  private readonly streams = new Map<string, StreamOffsets>();
  private text: string | undefined;

  constructor(private readonly binding: string) {}

  /**
   * Parses the text that `toString` returns. Returns undefined for any other text, and for a position of another
   * binding.
   */
  static parse(text: string, binding: string): LivePosition | undefined {
    const [bound, ...segments] = text.split('.');
    if (bound !== binding) return undefined;
    const position = new LivePosition(binding);
    for (const segment of segments) {
      const key = segment.slice(0, keyLength);
      const next = decode(segment.slice(keyLength));
      if (key.length < keyLength || !next || position.streams.has(key)) return undefined;
      position.streams.set(key, { next, text: segment });
    }
    return position;
  }

  /** Number of partitions that the position names. */
  get partitions(): number {
    let count = 0;
    for (const { next } of this.streams.values()) count += next.length;
    return count;
  }

  at(key: string, partition: number): number {
    return this.streams.get(key)?.next[partition] ?? 0;
  }

  set(key: string, partition: number, next: number): void {
    let offsets = this.streams.get(key);
    if (!offsets) this.streams.set(key, (offsets = { next: [], text: undefined }));
    while (offsets.next.length < partition) offsets.next.push(0);
    offsets.next[partition] = next;
    offsets.text = undefined;
    this.text = undefined;
  }

  keepOnly(keep: (key: string) => boolean): void {
    for (const key of this.streams.keys()) if (!keep(key)) this.streams.delete(key);
    this.text = undefined;
  }

  copy(): LivePosition {
    const copy = new LivePosition(this.binding);
    for (const [key, { next, text }] of this.streams) copy.streams.set(key, { next: [...next], text });
    copy.text = this.text;
    return copy;
  }

  /** Returns the offsets that `other` includes and this position does not. */
  missingTo(other: LivePosition): CatchUpRange[] {
    const missing: CatchUpRange[] = [];
    for (const [key, { next }] of other.streams) {
      for (let partition = 0; partition < next.length; partition++) {
        const [from, until] = [this.at(key, partition), next[partition] as number];
        if (from < until) missing.push({ key, partition, from, until });
      }
    }
    return missing;
  }

  /** Whether this position includes an offset that `other` does not. */
  missingFrom(other: LivePosition): boolean {
    for (const [key, { next }] of this.streams)
      if (next.some((offset, partition) => offset > other.at(key, partition))) return true;
    return false;
  }

  toString(): string {
    if (this.text !== undefined) return this.text;
    let text = this.binding;
    for (const [key, offsets] of this.streams) {
      offsets.text ??= `${key}${encode(offsets.next)}`;
      if (offsets.text.length > keyLength) text += `.${offsets.text}`;
    }
    return (this.text = text);
  }
}

function encode(offsets: readonly number[]): string {
  const bytes: number[] = [];
  const used = offsets.findLastIndex((offset) => offset > 0) + 1;
  for (const offset of offsets.slice(0, used)) {
    let rest = offset;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64url');
}

/** Parses the text that `encode` returns. Returns undefined for a text that is not such a position. */
function decode(text: string): number[] | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const offsets: number[] = [];
  let [offset, unit] = [0, 1];
  for (const byte of bytes) {
    offset += (byte & 0x7f) * unit;
    unit *= 0x80;
    if (byte >= 0x80) continue;
    offsets.push(offset);
    [offset, unit] = [0, 1];
  }
  const valid = unit === 1 && offsets.every(Number.isSafeInteger) && encode(offsets) === text;
  return valid && offsets.length > 0 ? offsets : undefined;
}
