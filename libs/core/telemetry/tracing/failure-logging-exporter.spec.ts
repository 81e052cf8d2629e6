import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { beforeEach, expect, it } from 'vitest';
import { traceSpansUnsent } from '../metrics.js';
import { FailureLoggingExporter } from './failure-logging-exporter.js';

type Spans = Parameters<SpanExporter['export']>[0];

let said: string[];
let fails: string | undefined;
let now: number;
let exporter: FailureLoggingExporter;

beforeEach(() => {
  [said, fails, now] = [[], undefined, 0];
  const inner: SpanExporter = {
    export: (_spans, done) => done({ code: fails === undefined ? 0 : 1, error: new Error(fails) }),
    shutdown: async () => undefined,
  };
  const logger = {
    warn: ({ reason }: { reason: string }) => said.push(`warn ${reason}`),
    info: (text: string) => said.push(`info ${text}`),
  };
  exporter = new FailureLoggingExporter(inner, logger as never, () => now);
});

/** Exports a number of spans with the `FailureLoggingExporter`. Returns whether it reported a failure to its caller. */
function exported(spans: number): boolean {
  let failed: boolean | undefined;
  exporter.export(Array<unknown>(spans).fill({}) as Spans, ({ error }) => (failed = error !== undefined));
  return failed!;
}

const unsent = async (): Promise<number> => (await traceSpansUnsent.get()).values[0]?.value ?? 0;

it('logs nothing while exports succeed', () => {
  for (let i = 0; i < 3; i++) expect(exported(1)).toBe(false);
  expect(said).toEqual([]);
});

it('logs once a minute that the collector accepts nothing, counts the lost spans, and reports success to the caller', async () => {
  const before = await unsent();
  fails = 'ECONNREFUSED';
  for (now = 0; now < 120_000; now += 10_000) expect(exported(5)).toBe(false);
  expect(said).toEqual(['warn ECONNREFUSED', 'warn ECONNREFUSED']);
  expect((await unsent()) - before).toBe(60);
});

it('logs when the collector accepts spans again, but not each change if it is unstable', () => {
  for (now = 0; now < 60_000; now += 1000) {
    fails = fails === undefined ? 'down' : undefined;
    exported(1);
  }
  expect(said).toEqual(['warn down', 'info The collector accepts traces again']);
});

it('logs only the beginning of the answer of a collector', () => {
  fails = 'x'.repeat(10_000);
  exported(1);
  expect(said[0]!.length).toBeLessThan(300);
});
