/** Streams of the system itself start with this: only the system writes them, only `admin` and the core port read them. */
export const reservedStreamPrefix = 'tributary.';

/** Every change of a definition, key or stream, every erasure and every replay is an event here. */
export const auditStream = `${reservedStreamPrefix}audit`;

export function isReservedStream(stream: string): boolean {
  return stream.startsWith(reservedStreamPrefix);
}

/**
 * Which streams a request may see and write. Every question to the store names one: what it does not permit is not
 * there, whatever else the question says.
 */
export interface StreamAccess {
  /** Names, or prefixes that end in `*`; undefined is every stream. An empty list is none. */
  readonly patterns: readonly string[] | undefined;
  /** Whether the system's own streams are among them. */
  readonly reserved: boolean;
}

/** What the core port and the system itself may see: everything. */
export const allStreams: StreamAccess = { patterns: undefined, reserved: true };

/** Whether this access covers a stream. */
export function permitsStream({ patterns, reserved }: StreamAccess, stream: string): boolean {
  if (!reserved && isReservedStream(stream)) return false;
  return patterns === undefined || patterns.some((pattern) => matchesStream(pattern, stream));
}

function matchesStream(pattern: string, stream: string): boolean {
  return pattern.endsWith('*') ? stream.startsWith(pattern.slice(0, -1)) : stream === pattern;
}
