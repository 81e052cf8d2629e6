import type { Definitions } from '../definitions.js';
import { erasureName, type Erasure } from './erasure.js';

/**
 * What was erased of an entity in the stream that has this name now. An erasure says something about the stream that
 * was there when it was asked for: one that has been made anew has other events at the same offsets.
 */
export function standingErasure(
  definitions: Pick<Definitions, 'stream' | 'erasures'>,
  stream: string,
  entityHash: string,
): Erasure | undefined {
  const erasure = definitions.erasures.get(erasureName(stream, entityHash));
  return erasure && concernsStream(definitions, erasure) ? erasure : undefined;
}

/** Whether the erasure is one of the stream that has its name now. */
export function concernsStream(
  definitions: Pick<Definitions, 'stream'>,
  { stream, stream_created_at }: Erasure,
): boolean {
  return definitions.stream(stream)?.created_at === stream_created_at;
}
