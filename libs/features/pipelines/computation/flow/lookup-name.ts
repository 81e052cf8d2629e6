import type { ProjectionLookup } from './pipeline.js';

/** Returns the text that identifies a lookup. */
export function lookupName({ projection, key, asOf }: ProjectionLookup): string {
  return asOf ? `${projection} ${asOf.time}/${asOf.known} ${key}` : `${projection} ${key}`;
}
