/** Returns a deterministic 32-bit hash of two texts (FNV-1a). */
export function hashOf(stream: string, entity: string): number {
  return mix(mix(mix(0x811c9dc5, stream), '\0'), entity);
}

function mix(hash: number, text: string): number {
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
