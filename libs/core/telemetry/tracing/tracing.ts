/**
 * Creates spans and exports them. An app in which tracing is off has `undefined` instead, so tracing costs nothing.
 *
 * A span is passed on, within the process and to others, as its `traceparent` (W3C Trace Context). There is no implicit
 * current span: the parent is always given.
 */
export interface Tracing {
  /** Starts a span. A span that is not sampled costs no more than the generation of its ids. */
  start(name: string, options?: SpanOptions): TraceSpan;
  /**
   * Exports the remaining spans and closes. Closing takes a few seconds at most, even if the collector does not answer.
   */
  close(): Promise<void>;
}

/** Kind, parent, links, attributes and start time of a new span. */
export interface SpanOptions {
  /** Kind of the span; default: `internal`. */
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** `traceparent` of the parent span; without one, the span starts a new trace. */
  parent?: string | undefined;
  /** Whether the parent span belongs to this process, and not to the caller of a request. */
  parentIsLocal?: boolean;
  /** `traceparent`s of other spans that the span links to. */
  links?: readonly string[];
  /**
   * Attributes of the span. Attributes must not contain keys, entity ids or any part of `data`, because an erasure
   * cannot delete them in a collector.
   */
  attributes?: SpanAttributes;
  /** Start time of the span in milliseconds since 1970; default: now. */
  startedAt?: number;
}

/** Attributes of a span by name; undefined values are left out. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** A started span of a trace; it is exported after its end if it is sampled. */
export interface TraceSpan {
  /** The `traceparent` of this span (W3C Trace Context): its trace id, its span id and the sampled flag. */
  readonly traceparent: string;
  /** False if the span is not sampled and will not be exported. */
  readonly recording: boolean;
  set(attributes: SpanAttributes): void;
  /** Adds an event (a named point in time) to the span. `at` is in milliseconds since 1970. */
  event(name: string, at: number): void;
  link(traceparent: string): void;
  /**
   * Ends the span; call it once. @param error A code, or an error, of which only the name is kept, because its message
   * may contain data
   */
  end(error?: unknown): void;
}
