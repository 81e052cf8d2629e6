import type { AppConfig } from '#api';
import type { Logger } from '../logger.js';

/** What tracing needs to be opened: the app's name and version, its settings, and a logger. */
export interface TracingOptions {
  /** The app's name without the prefix `tributary-`, such as `gateway`. */
  name: string;
  version: string;
  config: Pick<AppConfig, Extract<keyof AppConfig, `OTEL_${string}`>>;
  logger: Logger;
}

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
  /** Attributes of the span: no keys, entity ids or `data`, because an erasure cannot delete them in a collector. */
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

/** Returns the error type for a span: a code as it is, the name of an Error, or OpenTelemetry's `_OTHER`. */
export function errorType(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.name : '_OTHER';
}
