/** Matches a `traceparent` of W3C Trace Context, version 00. The specification forbids ids of zeros only. */
const pattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns whether this is a `traceparent`: `00-<trace id>-<span id>-<flags>`. */
export function isTraceparent(text: unknown): text is string {
  return typeof text === 'string' && pattern.test(text);
}

/** Returns the sampled flag of a `traceparent`: whether its sender records the trace. */
export function isSampled(traceparent: string): boolean {
  return (parseInt(traceparent.slice(-1), 16) & 1) === 1;
}

/** Returns the `traceparent` of a span. */
export function formatTraceparent(span: { traceId: string; spanId: string; sampled: boolean }): string {
  return `00-${span.traceId}-${span.spanId}-${span.sampled ? '01' : '00'}`;
}
