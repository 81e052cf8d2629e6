/**
 * Prefix of the system's own streams. Only the system writes them; only the scope `admin` and the core port read them.
 */
export const reservedStreamPrefix = 'tributary.';

/**
 * Stream of the audit: every change of a definition, key or stream, every erasure and every replay is an event in it.
 */
export const auditStream = `${reservedStreamPrefix}audit`;

export function isReservedStream(stream: string): boolean {
  return stream.startsWith(reservedStreamPrefix);
}

/**
 * Authorization scope for streams: the streams that a request may read and write. Every query to the store takes one,
 * and treats other streams as not existing.
 */
export interface StreamAccess {
  /** Stream names, or prefixes that end in `*`; undefined means every stream, and an empty list means none. */
  readonly patterns: readonly string[] | undefined;
  /** Whether the system's own streams are included. */
  readonly reserved: boolean;
}

/** The authorization scope of the core port and of the system itself: every stream. */
export const allStreams: StreamAccess = { patterns: undefined, reserved: true };

/** Returns whether this scope includes a stream. */
export function permitsStream({ patterns, reserved }: StreamAccess, stream: string): boolean {
  if (!reserved && isReservedStream(stream)) return false;
  return patterns === undefined || patterns.some((pattern) => matchesStream(pattern, stream));
}

function matchesStream(pattern: string, stream: string): boolean {
  return pattern.endsWith('*') ? stream.startsWith(pattern.slice(0, -1)) : stream === pattern;
}
