/** W3C Trace Context, version 00. Ids of zeros only are invalid by the specification. */
const pattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Whether this is a `traceparent`: `00-<trace id>-<span id>-<flags>`. */
export function isTraceparent(text: unknown): text is string {
  return typeof text === 'string' && pattern.test(text);
}

/** Whether whoever made it has decided that its trace is recorded: the lowest bit of its last hexadecimal digit. */
export function isSampled(traceparent: string): boolean {
  return (parseInt(traceparent.slice(-1), 16) & 1) === 1;
}

/** The `traceparent` of a span whose trace is recorded, or not. */
export function formatTraceparent(span: { traceId: string; spanId: string; sampled: boolean }): string {
  return `00-${span.traceId}-${span.spanId}-${span.sampled ? '01' : '00'}`;
}
