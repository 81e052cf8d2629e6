import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * All metrics of all apps, each with its unit and meaning. Labels are bounded: a route is its pattern, a reason is one
 * of a fixed list, and a stream exists. Event types, entities and ids are never labels.
 */
export const registry = new Registry();

/**
 * CPU, memory, file descriptors, event loop lag and garbage collection of this process. The lag is sampled ten times a second:
 * with the default of a hundred, an idle process spends a hundredth of a core on it.
 */
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });

const registers = [registry];
/** Histogram buckets in seconds, from one millisecond to half a minute. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

// The process

export const buildInfo = new Gauge({
  name: 'tributary_build_info',
  help: 'Always 1; the labels are the name of the app and its version.',
  labelNames: ['app', 'version'] as const,
  registers,
});

new Gauge({
  name: 'tributary_memory_limit_bytes',
  help: 'Bytes of memory that this process may use: the limit of its container, else the memory of the machine.',
  registers,
}).set(Math.min(process.constrainedMemory() || Infinity, totalmem()));

new Gauge({
  name: 'tributary_heap_limit_bytes',
  help: 'Maximum size of the V8 heap in bytes; above it, the process ends.',
  registers,
}).set(getHeapStatistics().heap_size_limit);

export const healthCheckPassing = new Gauge({
  name: 'tributary_health_check_passing',
  help: 'Result of a check of /health: 1 if it passes, 0 if it fails. The checks run at each scrape.',
  labelNames: ['check'] as const,
  registers,
});

export const certificateExpiry = new Gauge({
  name: 'tributary_tls_certificate_expiry_timestamp_seconds',
  help: 'Earliest expiry of the certificates in a file that this process read at its start (kafka_ca, kafka_client), in seconds since 1970.',
  labelNames: ['certificate'] as const,
  registers,
});

export const eventLoopLongestStall = new Gauge({
  name: 'tributary_event_loop_longest_stall_seconds',
  help: 'Longest time that the event loop was blocked in the last five minutes, by clock: wall, or cpu (processor time of its thread).',
  labelNames: ['clock'] as const,
  registers,
});

export const eventLoopStalls = new Histogram({
  name: 'tributary_event_loop_stall_seconds',
  help: 'Seconds of each time that the event loop was blocked for more than 0.2 s, by clock: wall, or cpu (processor time of its thread).',
  labelNames: ['clock'] as const,
  buckets: [0.4, 0.8, 1.6, 3.2, 6.4],
  registers,
});

// HTTP

export const httpRequests = new Counter({
  name: 'tributary_http_requests_total',
  help: 'Requests answered, by method, route pattern and class of status (2xx, 4xx …).',
  labelNames: ['method', 'route', 'status'] as const,
  registers,
});

export const httpDuration = new Histogram({
  name: 'tributary_http_request_duration_seconds',
  help: 'Seconds from the routing of a request until its answer is sent, by method and route pattern.',
  labelNames: ['method', 'route'] as const,
  buckets: durations,
  registers,
});

export const httpInFlight = new Gauge({
  name: 'tributary_http_requests_in_flight',
  help: 'Requests in progress now.',
  registers,
});

export const httpBodyBytes = new Gauge({
  name: 'tributary_http_body_in_flight_bytes',
  help: 'Bytes of request bodies in memory now, after decompression.',
  registers,
});

export const httpAnswerBytes = new Gauge({
  name: 'tributary_http_answer_in_flight_bytes',
  help: 'Bytes of answers in memory now: read from the store, or waiting for clients to receive them.',
  registers,
});

export const httpAnswersCut = new Counter({
  name: 'tributary_http_answers_cut_total',
  help: 'Answers that were cut off because their client received them too slowly.',
  registers,
});

export const httpProblems = new Counter({
  name: 'tributary_http_problems_total',
  help: 'Problems that requests ended with, by problem code; including problems that could not be sent to the client.',
  labelNames: ['code'] as const,
  registers,
});

export const exportsDone = new Counter({
  name: 'tributary_exports_total',
  help: 'Exports of events, by format and outcome: complete, or cut_off.',
  labelNames: ['format', 'outcome'] as const,
  registers,
});

export const sqlRefused = new Counter({
  name: 'tributary_sql_refused_total',
  help: 'SQL statements of analysts that were rejected because they use something that is not permitted.',
  registers,
});

export const authRefused = new Counter({
  name: 'tributary_http_auth_refused_total',
  help: 'Requests rejected because of their credentials, by problem code: unauthenticated, invalid_token, insufficient_scope …',
  labelNames: ['code'] as const,
  registers,
});

export const rateRefused = new Counter({
  name: 'tributary_http_rate_refused_total',
  help: 'Requests rejected because their key is over its rate limit, by unit: requests, events.',
  labelNames: ['unit'] as const,
  registers,
});

// Definitions

export const definitionsAge = new Gauge({
  name: 'tributary_definitions_age_seconds',
  help: 'Seconds since this process last knew its definitions to be current; infinite before the first time.',
  registers,
});

export const definitionsUnreadable = new Gauge({
  name: 'tributary_definitions_unreadable',
  help: 'Records of the definitions topic that this process could not parse, since its start.',
  registers,
});

export const keyExpiry = new Gauge({
  name: 'tributary_key_earliest_expiry_timestamp_seconds',
  help: 'Earliest expiry of the valid issued API keys, in seconds since 1970; no value if no key expires.',
  registers,
});

export const projectionState = new Gauge({
  name: 'tributary_projection_state',
  help: 'Always 1; the labels are a projection and its state in its definition: building, running, paused, failed.',
  labelNames: ['projection', 'state'] as const,
  registers,
});

export const pipelineState = new Gauge({
  name: 'tributary_pipeline_state',
  help: 'Always 1; the labels are a pipeline and its state in its definition: running, paused, failed.',
  labelNames: ['pipeline', 'state'] as const,
  registers,
});

export const groupLagRecords = new Gauge({
  name: 'tributary_group_lag_records',
  help: 'Records in the log that a consumer group has not committed, measured by another process: materializer, processor.',
  labelNames: ['group'] as const,
  registers,
});

export const groupLagSeconds = new Gauge({
  name: 'tributary_group_lag_seconds',
  help: 'Lower bound of the seconds for which a consumer group has had lag in its slowest partition, measured by another process; 0 without lag.',
  labelNames: ['group'] as const,
  registers,
});

// Reading

export const readsRunning = new Gauge({
  name: 'tributary_reads_running',
  help: 'Queries of this instance that ClickHouse runs now.',
  registers,
});

export const readsWaiting = new Gauge({
  name: 'tributary_reads_waiting',
  help: 'Queries of this instance that wait to start now.',
  registers,
});

export const waitForWaiting = new Gauge({
  name: 'tributary_wait_for_waiting',
  help: 'Positions of the log that queries wait for now (wait_for).',
  registers,
});

// Writing

export const eventsRejected = new Counter({
  name: 'tributary_events_rejected_total',
  help: 'Events rejected because of their content, by problem code.',
  labelNames: ['code'] as const,
  registers,
});

export const schemaMismatches = new Counter({
  name: 'tributary_schema_mismatches_total',
  help: 'Events that do not match the schema of their type, by stream and mode: enforce (rejected) or warn (stored anyway).',
  labelNames: ['stream', 'mode'] as const,
  registers,
});

export const produceRecords = new Counter({
  name: 'tributary_produce_records_total',
  help: 'Records that Kafka has acknowledged.',
  registers,
});

export const produceBytes = new Counter({
  name: 'tributary_produce_bytes_total',
  help: 'Characters of the record values that Kafka has acknowledged; equal to bytes for ASCII.',
  registers,
});

export const produceInFlightBytes = new Gauge({
  name: 'tributary_produce_in_flight_bytes',
  help: 'Bytes sent to Kafka and not yet acknowledged.',
  registers,
});

export const produceDuration = new Histogram({
  name: 'tributary_produce_duration_seconds',
  help: 'Seconds from sending records until all in-sync replicas have acknowledged them.',
  buckets: durations,
  registers,
});

export const produceErrors = new Counter({
  name: 'tributary_produce_errors_total',
  help: 'Failed appends to the log, by reason: overloaded, unavailable, unknown_topic, other.',
  labelNames: ['reason'] as const,
  registers,
});

// Consuming

export const consumeRecords = new Counter({
  name: 'tributary_consume_records_total',
  help: 'Records read from the log, by stream.',
  labelNames: ['stream'] as const,
  registers,
});

export const consumeLagRecords = new Gauge({
  name: 'tributary_consume_lag_records',
  help: 'Records in the log that this process has not processed yet, by stream; the sum over its partitions.',
  labelNames: ['stream'] as const,
  registers,
});

export const consumeLagSeconds = new Gauge({
  name: 'tributary_consume_lag_seconds',
  help: 'Age in seconds of the oldest record that is not processed yet, by stream; 0 without lag.',
  labelNames: ['stream'] as const,
  registers,
});

export const consumeLastProgress = new Gauge({
  name: 'tributary_consume_last_progress_timestamp_seconds',
  help: 'Time at which this process last made progress in the log, in seconds since 1970.',
  registers,
});

export const duplicatesDropped = new Counter({
  name: 'tributary_duplicates_dropped_total',
  help: 'Records dropped as duplicates because their event id occurred within the id window or, as a far duplicate, before it, by stream.',
  labelNames: ['stream'] as const,
  registers,
});

export const conditionalWrites = new Counter({
  name: 'tributary_conditional_writes_total',
  help: 'Conditional writes that the materializer has decided, by verdict: accepted, refused, or repeated for a record that repeats an accepted event.',
  labelNames: ['verdict'] as const,
  registers,
});

export const idWindowSeconds = new Gauge({
  name: 'tributary_id_window_seconds',
  help: 'Seconds for which a repeated event id is detected, by stream; the shortest time of its partitions.',
  labelNames: ['stream'] as const,
  registers,
});

export const erasedSkipped = new Counter({
  name: 'tributary_erased_skipped_total',
  help: 'Records skipped because their entity was erased, by stream.',
  labelNames: ['stream'] as const,
  registers,
});

export const deadLetters = new Counter({
  name: 'tributary_dead_letters_total',
  help: 'Records written to the dead letters, by reason.',
  labelNames: ['reason'] as const,
  registers,
});

// Storing

export const insertRows = new Counter({
  name: 'tributary_insert_rows_total',
  help: 'Rows inserted into ClickHouse.',
  registers,
});

export const insertDuration = new Histogram({
  name: 'tributary_insert_duration_seconds',
  help: 'Seconds of one insert into all tables.',
  buckets: durations,
  registers,
});

export const insertErrors = new Counter({
  name: 'tributary_insert_errors_total',
  help: 'Failed inserts, by reason: unavailable, refused (rejected by ClickHouse).',
  labelNames: ['reason'] as const,
  registers,
});

export const storeDiskFree = new Gauge({
  name: 'tributary_store_disk_free_bytes',
  help: 'Free bytes on each disk of ClickHouse. The materializer measures them every 15 seconds.',
  labelNames: ['disk'] as const,
  registers,
});

export const storeDiskSize = new Gauge({
  name: 'tributary_store_disk_size_bytes',
  help: 'Size of each disk of ClickHouse in bytes.',
  labelNames: ['disk'] as const,
  registers,
});

export const storeTableBytes = new Gauge({
  name: 'tributary_store_table_bytes',
  help: 'Bytes on disk of the active parts of each table.',
  labelNames: ['table'] as const,
  registers,
});

export const storeTableRows = new Gauge({
  name: 'tributary_store_table_rows',
  help: 'Rows of the active parts of each table; replaced and deleted rows count until the next merge.',
  labelNames: ['table'] as const,
  registers,
});

export const storeTableParts = new Gauge({
  name: 'tributary_store_table_parts',
  help: 'Active parts of each table. ClickHouse slows inserts down above 1000 in one partition, and rejects them above 3000.',
  labelNames: ['table'] as const,
  registers,
});

export const freshness = new Histogram({
  name: 'tributary_freshness_seconds',
  help: 'Seconds from the receipt of an event (ingested_at) until it can be queried; one observation for the oldest event of each batch and partition.',
  buckets: durations,
  registers,
});

// Projections

export const projectionBuilds = new Gauge({
  name: 'tributary_projection_builds',
  help: 'Projection generations that this process runs now: those that are still built, and those that serve queries.',
  registers,
});

export const projectionEvents = new Counter({
  name: 'tributary_projection_events_total',
  help: 'Events that were folded, by projection; the sum over its generations. Events repeated after a crash count again.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionFailed = new Counter({
  name: 'tributary_projection_failed_total',
  help: 'Events that could not be folded and were written to the dead letters, by projection.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionUnstored = new Counter({
  name: 'tributary_projection_unstored_offsets_total',
  help: 'Offsets that the log deleted before the materializer had stored them, by projection. These events are missing in the projection.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionDuplicates = new Counter({
  name: 'tributary_projection_duplicates_total',
  help: 'Records dropped as duplicates because their event id occurred within the id window, by projection.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionLagRecords = new Gauge({
  name: 'tributary_projection_lag_records',
  help: 'Records in the log that this process has not folded and saved yet, by projection; the sum over its partitions.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionLagSeconds = new Gauge({
  name: 'tributary_projection_lag_seconds',
  help: 'Age in seconds of the oldest record that is not folded and saved yet, by projection; 0 without lag.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionLastProgress = new Gauge({
  name: 'tributary_projection_last_progress_timestamp_seconds',
  help: 'Time at which this process last saved changes of a projection, in seconds since 1970.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionSavedRows = new Counter({
  name: 'tributary_projection_saved_rows_total',
  help: 'States of projection keys inserted into ClickHouse.',
  registers,
});

export const projectionSaveDuration = new Histogram({
  name: 'tributary_projection_save_duration_seconds',
  help: 'Seconds of one save of dead letters, states and progress of all changed projections.',
  buckets: durations,
  registers,
});

// Snapshots

export const snapshots = new Counter({
  name: 'tributary_snapshots_total',
  help: 'Automatic snapshots of entities, made when their version passed a multiple of snapshot_every.',
  registers,
});

export const snapshotFailures = new Counter({
  name: 'tributary_snapshot_failures_total',
  help: 'Automatic snapshots that were skipped, by reason: too_large (the state, or reading it), removed_meanwhile, error (all snapshots of a batch count as one).',
  labelNames: ['reason'] as const,
  registers,
});

export const snapshotLagRecords = new Gauge({
  name: 'tributary_snapshot_lag_records',
  help: 'Records in the log for which this process has not made the snapshots yet; the sum over its partitions.',
  registers,
});

export const snapshotLagSeconds = new Gauge({
  name: 'tributary_snapshot_lag_seconds',
  help: 'Age in seconds of the oldest record whose snapshots are not made yet; 0 without lag.',
  registers,
});

// Pipelines

export const pipelineRuns = new Gauge({
  name: 'tributary_pipeline_runs',
  help: 'Pipeline jobs that this process runs now.',
  registers,
});

export const pipelineProcessed = new Counter({
  name: 'tributary_pipeline_processed_total',
  help: 'Source events that were processed, by pipeline. Events repeated after a crash count again.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineEmitted = new Counter({
  name: 'tributary_pipeline_emitted_total',
  help: 'Events written to streams and accepted by webhooks, by pipeline. Events repeated after a crash count again.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineDropped = new Counter({
  name: 'tributary_pipeline_dropped_total',
  help: 'Events that an operator dropped, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineLate = new Counter({
  name: 'tributary_pipeline_late_total',
  help: 'Events that arrived after their window had closed, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineFailed = new Counter({
  name: 'tributary_pipeline_failed_total',
  help: 'Events that could not be processed and were written to the dead letters, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineDuplicates = new Counter({
  name: 'tributary_pipeline_duplicates_total',
  help: 'Records dropped as duplicates because their event id occurred within the id window, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineStepEvents = new Counter({
  name: 'tributary_pipeline_step_events_total',
  help: 'Events at each operator of a pipeline, by its JSON pointer (path), its name and result: in, out, dropped, late, failed. Events repeated after a crash count again.',
  labelNames: ['pipeline', 'path', 'operator', 'result'] as const,
  registers,
});

export const pipelineLagRecords = new Gauge({
  name: 'tributary_pipeline_lag_records',
  help: 'Records of the sources and of the internal topics that this process has not processed and saved yet, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineLagSeconds = new Gauge({
  name: 'tributary_pipeline_lag_seconds',
  help: 'Age in seconds of the oldest record that is not processed and saved yet, by pipeline; 0 without lag.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineWatermark = new Gauge({
  name: 'tributary_pipeline_watermark_timestamp_seconds',
  help: 'Lowest watermark of the windows in this process, in seconds since 1970, by pipeline; without windows, the lowest watermark of its sources.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineLastProgress = new Gauge({
  name: 'tributary_pipeline_last_progress_timestamp_seconds',
  help: 'Time at which this process last saved changes of a pipeline, in seconds since 1970.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineSavedRows = new Counter({
  name: 'tributary_pipeline_saved_rows_total',
  help: 'Rows of windows and keys inserted into ClickHouse.',
  registers,
});

export const webhookAttempts = new Counter({
  name: 'tributary_webhook_attempts_total',
  help: 'Attempts to deliver to webhooks, by pipeline and outcome: delivered; repeated (rejected or unanswered, and retried); given_up (the event was written to the dead letters).',
  labelNames: ['pipeline', 'outcome'] as const,
  registers,
});

export const webhookDuration = new Histogram({
  name: 'tributary_webhook_duration_seconds',
  help: 'Seconds of an attempt to deliver to a webhook, until the answer or the time-out, by pipeline.',
  labelNames: ['pipeline'] as const,
  // Few buckets: each pipeline with webhooks has its own series.
  buckets: [0.05, 0.25, 1, 5, 15],
  registers,
});

// Live streams

export const liveStreams = new Gauge({
  name: 'tributary_live_streams',
  help: 'Open connections for live events and for live changes of projections.',
  registers,
});

export const liveEvents = new Counter({
  name: 'tributary_live_events_total',
  help: 'Events written to live connections; each connection counts.',
  registers,
});

export const liveChanges = new Counter({
  name: 'tributary_live_changes_total',
  help: 'States of projections written to live connections; each connection counts.',
  registers,
});

export const liveEnded = new Counter({
  name: 'tributary_live_ended_total',
  help: 'Live connections that this instance closed, by the problem code that it sent.',
  labelNames: ['code'] as const,
  registers,
});

// Deleting

export const removedEvents = new Counter({
  name: 'tributary_removed_events_total',
  help: 'Events that the materializer deleted from ClickHouse, by reason: time, bytes (retention), erased.',
  labelNames: ['reason'] as const,
  registers,
});

export const removalErrors = new Counter({
  name: 'tributary_removal_errors_total',
  help: 'Failed deletions, which are retried later, by reason: time, bytes, erased, deleted, late, purge.',
  labelNames: ['reason'] as const,
  registers,
});

// Tracing

export const traceSpansUnsent = new Counter({
  name: 'tributary_trace_spans_unsent_total',
  help: 'Spans that the collector did not accept and that were dropped.',
  registers,
});

// Counters start at 0 for the labels that alerts use: a counter that appears with its first count shows no increase.
for (const reason of [
  ...['unreadable', 'refused_by_store', 'cannot_be_folded'],
  ...['operator_failed', 'schema_violation', 'webhook_failed', 'late_event'],
])
  deadLetters.inc({ reason }, 0);
for (const reason of ['too_large', 'error']) snapshotFailures.inc({ reason }, 0);
for (const reason of ['overloaded', 'unavailable', 'unknown_topic', 'other'])
  produceErrors.inc({ reason }, 0);
for (const reason of ['unavailable', 'refused']) insertErrors.inc({ reason }, 0);
for (const reason of ['time', 'bytes', 'erased', 'deleted', 'late', 'purge'])
  removalErrors.inc({ reason }, 0);
for (const code of ['overloaded', 'internal_error']) httpProblems.inc({ code }, 0);
for (const clock of ['wall', 'cpu']) eventLoopStalls.zero({ clock });

const askedWhenScraped = new Set<() => void>();

/**
 * Registers a function that sets gauges before each scrape of the metrics, so that they need no timer. `show` must not
 * throw. Returns a function that removes the registration.
 */
export function onScrape(show: () => void): () => void {
  askedWhenScraped.add(show);
  return () => void askedWhenScraped.delete(show);
}

/** Returns the body of `/metrics`: all metrics in Prometheus' text format. */
export async function metricsText(): Promise<string> {
  for (const show of askedWhenScraped) show();
  return registry.metrics();
}

/** Media type of the answer of `/metrics`. */
export const metricsContentType = registry.contentType;
