/**
 * Tracing as the apps see it. While tracing is off, they have `undefined` in its place, and tracing costs nothing.
 *
 * A span is passed on, within the process and to others, as its `traceparent` (W3C Trace Context). There is no implicit
 * current span: the parent is always given.
 */
export interface Tracing {
  /** Starts a span. A span that is not sampled costs no more than the generation of its ids. */
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Exports the remaining spans and closes. It takes a few seconds at most, even if the collector does not answer. */
  close(): Promise<void>;
}

export interface SpanOptions {
  /** Kind of the span; default: `internal`. */
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** Traceparent of the parent span; without one, the span starts a trace. */
  parent?: string | undefined;
  /** Whether the parent is a span of this process. */
  parentIsLocal?: boolean;
  /** Traceparents of other related spans. */
  links?: readonly string[];
  /** Never use keys, entities or any part of `data`: an erasure cannot delete them in a collector. */
  attributes?: SpanAttributes;
  /** Start time in milliseconds since 1970; default: now. */
  startedAt?: number;
}

export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface TraceSpan {
  /** Identifies this span, and contains the sampled flag. */
  readonly traceparent: string;
  /** False if the span is not sampled and will not be exported. */
  readonly recording: boolean;
  set(attributes: SpanAttributes): void;
  /** Adds an event. `at` is in milliseconds since 1970. */
  event(name: string, at: number): void;
  link(traceparent: string): void;
  /**
   * Ends the span; call it once. @param error A code, or an error, of which only the name is kept, because its message
   * may contain data
   */
  end(error?: unknown): void;
}
