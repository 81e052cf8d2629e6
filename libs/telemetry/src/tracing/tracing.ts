/**
 * What the apps see of tracing. Where it is off there is none: they hold `undefined`, and do nothing for it.
 *
 * A span is named to others, in this process and in the next, by its `traceparent` (W3C Trace Context). Nothing is kept
 * in the background: whoever starts a span says what it belongs to.
 */
export interface Tracing {
  /** Begins a span. What it costs when it is not sampled is making its ids. */
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Sends what is left, and ends; takes no longer than a few seconds, whatever the collector does. */
  close(): Promise<void>;
}

export interface SpanOptions {
  /** Default: `internal`. */
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The traceparent of the span that it belongs to; without one it begins a trace. */
  parent?: string | undefined;
  /** Whether the parent is a span of this process. */
  parentIsLocal?: boolean;
  /** The traceparents of others that it has to do with. */
  links?: readonly string[];
  /** Never keys, entities or anything of `data`: an erasure does not reach a collector. */
  attributes?: SpanAttributes;
  /** Milliseconds since 1970; default: now. */
  startedAt?: number;
}

export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface TraceSpan {
  /** It names this span, and says whether it is sampled. */
  readonly traceparent: string;
  /** False when it is not sampled: nothing of it is kept. */
  readonly recording: boolean;
  set(attributes: SpanAttributes): void;
  /** Something happened at a time, in milliseconds since 1970. */
  event(name: string, at: number): void;
  link(traceparent: string): void;
  /** Call it once. `error` is what went wrong: a code, or an error, whose name is kept; its message may quote data. */
  end(error?: unknown): void;
}
