/** Prefix of Tributary's own streams: only Tributary writes them; `admin` keys and the port without keys read them. */
export const reservedStreamPrefix = 'tributary.';

/** Name of the audit stream: every change of a definition, key or stream, every erasure and every replay is an event. */
export const auditStream = `${reservedStreamPrefix}audit`;

export function isReservedStream(stream: string): boolean {
  return stream.startsWith(reservedStreamPrefix);
}

/** The streams that a caller may read and write. Queries to the store treat all other streams as not existing. */
export interface StreamAccess {
  /** Stream names, or prefixes that end in `*`; undefined means every stream, and an empty list means none. */
  readonly patterns: readonly string[] | undefined;
  /** Whether Tributary's own streams, which begin with `tributary.`, are included. */
  readonly reserved: boolean;
}

/** Access to every stream: for callers of the port without keys, and for Tributary itself. */
export const allStreams: StreamAccess = { patterns: undefined, reserved: true };

/** Returns whether a caller with this access may read and write the stream with this name. */
export function permitsStream({ patterns, reserved }: StreamAccess, stream: string): boolean {
  if (!reserved && isReservedStream(stream)) return false;
  return patterns === undefined || patterns.some((pattern) => matchesStream(pattern, stream));
}

function matchesStream(pattern: string, stream: string): boolean {
  return pattern.endsWith('*') ? stream.startsWith(pattern.slice(0, -1)) : stream === pattern;
}
