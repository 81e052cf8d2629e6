import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
  type MetricObject,
} from 'prom-client';

/**
 * The metrics of this process: its own, and those of every feature that the app imports. Labels are bounded: a route is
 * its pattern, a reason is one of a fixed list, and a stream exists. Event types, entities and ids are never labels.
 */
export const registry = new Registry();

/**
 * CPU, memory, file descriptors, event loop lag and garbage collection of this process. The lag is sampled ten times a second:
 * with the default of a hundred, an idle process spends a hundredth of a core on it.
 */
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });

/** Options of a metric without its name. A metric whose name is taken already throws an Error. */
type Options<Configuration> = Omit<Configuration, 'name'>;

const registers = [registry];
/** Histogram buckets in seconds, from one millisecond to half a minute. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Defines a counter of this process. Set it to 0 for each label value that an alert uses: a counter that appears with its
 * first count shows no increase.
 */
export function counter<L extends string = never>(name: string, options: Options<CounterConfiguration<L>>) {
  return new Counter({ name, ...options, registers });
}

/**
 * Defines a gauge of this process. If several threads of the process run the app, its value is that of the thread with
 * the greatest, or as its `aggregator` says.
 */
export function gauge<L extends string = never>(name: string, options: Options<GaugeConfiguration<L>>) {
  return new Gauge({ name, aggregator: 'max', ...options, registers });
}

/** Defines a histogram of this process. By default, its buckets are for seconds, from 1 ms to half a minute. */
export function histogram<L extends string = never>(
  name: string,
  options: Options<HistogramConfiguration<L>>,
) {
  return new Histogram({ name, buckets: durations, ...options, registers });
}

gauge('tributary_memory_limit_bytes', {
  help: 'Bytes of memory that this process may use: the limit of its container, else the memory of the machine.',
}).set(Math.min(process.constrainedMemory() || Infinity, totalmem()));

gauge('tributary_heap_limit_bytes', {
  help: 'Maximum size of the V8 heap in bytes, of all threads together; above it, the process ends.',
  aggregator: 'sum',
}).set(getHeapStatistics().heap_size_limit);

const askedWhenScraped = new Set<() => void>();

/**
 * Registers a function that sets gauges before each scrape of the metrics, so that they need no timer. `show` must not
 * throw. Returns a function that removes the registration.
 */
export function onScrape(show: () => void): () => void {
  askedWhenScraped.add(show);
  return () => void askedWhenScraped.delete(show);
}

/** The metrics of one thread of a process, which can be sent to another thread. */
export type MetricsOfThread = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Returns the metrics of this thread, without those of the process, which the main thread has, too. */
export async function metricsOfThread(): Promise<MetricsOfThread> {
  const metrics = await allMetrics();
  return metrics.filter(({ name }) => !name.startsWith('process_'));
}

let metricsOfOthers = (): Promise<readonly MetricsOfThread[]> => Promise.resolve([]);

/** Sets the function that returns the metrics of further threads, which `metricsText` adds. It must not throw. */
export function addMetricsOfThreads(others: typeof metricsOfOthers): void {
  metricsOfOthers = others;
}

/** Returns the body of `/metrics`: all metrics of all threads in Prometheus' text format. */
export async function metricsText(): Promise<string> {
  const others = await metricsOfOthers();
  if (others.length > 0) return AggregatorRegistry.aggregate([await allMetrics(), ...others]).metrics();
  for (const show of askedWhenScraped) show();
  return registry.metrics();
}

async function allMetrics(): Promise<MetricsOfThread> {
  for (const show of askedWhenScraped) show();
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({
    ...metric,
    aggregator: otherAggregators[metric.aggregator] ?? metric.aggregator,
  }));
}

/**
 * What prom-client would leave out of the sum of several processes is the main thread's: the first. The lag of an event
 * loop is that of the slowest thread, not the mean.
 */
const otherAggregators: Partial<Record<string, MetricObject['aggregator']>> = {
  omit: 'first',
  average: 'max',
};

/** Returns the counters and histograms of several threads as those of one. */
export async function sumOfCounters(all: readonly MetricsOfThread[]): Promise<MetricsOfThread> {
  const counted = all.map((metrics) =>
    metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type))),
  );
  return await AggregatorRegistry.aggregate(counted).getMetricsAsJSON();
}

/** Media type of the answer of `/metrics`. */
export const metricsContentType = registry.contentType;

export const eventLoopLongestStall = gauge('tributary_event_loop_longest_stall_seconds', {
  help: 'Longest time that the event loop was blocked in the last five minutes, by clock: wall, or cpu (processor time of its thread).',
  labelNames: ['clock'],
});

export const eventLoopStalls = histogram('tributary_event_loop_stall_seconds', {
  help: 'Seconds of each time that the event loop was blocked for more than 0.2 s, by clock: wall, or cpu (processor time of its thread).',
  labelNames: ['clock'],
  buckets: [0.4, 0.8, 1.6, 3.2, 6.4],
});
for (const clock of ['wall', 'cpu']) eventLoopStalls.zero({ clock });

export const traceSpansUnsent = counter('tributary_trace_spans_unsent_total', {
  help: 'Spans that the collector did not accept and that were dropped.',
});
