import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * All metrics of all apps, each with its unit and meaning. Labels are bounded: a route is its pattern, a reason is of
 * a closed list, a stream is one that exists. Event types, entities and ids are never labels.
 */
export const registry = new Registry();

/**
 * CPU, memory, file descriptors, event loop lag and garbage collection of this process. The lag is sampled ten times a second:
 * with the default of a hundred, an idle process spends a hundredth of a core on it.
 */
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });

const registers = [registry];
/** Seconds, from a millisecond to half a minute. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

// The process

export const buildInfo = new Gauge({
  name: 'tributary_build_info',
  help: 'Always 1: which app this is, and its version.',
  labelNames: ['app', 'version'] as const,
  registers,
});

new Gauge({
  name: 'tributary_memory_limit_bytes',
  help: 'Bytes of memory that this process may use: what its container is limited to, else what the machine has.',
  registers,
}).set(Math.min(process.constrainedMemory() || Infinity, totalmem()));

new Gauge({
  name: 'tributary_heap_limit_bytes',
  help: 'Bytes that the heap of V8 can grow to; past that, the process ends.',
  registers,
}).set(getHeapStatistics().heap_size_limit);

export const healthCheckPassing = new Gauge({
  name: 'tributary_health_check_passing',
  help: 'Whether a check of /health passes: 1, or 0 when it fails. Checked when scraped.',
  labelNames: ['check'] as const,
  registers,
});

export const certificateExpiry = new Gauge({
  name: 'tributary_tls_certificate_expiry_timestamp_seconds',
  help: 'When the first certificate of a file that this process was started with expires, in seconds since 1970: kafka_ca, kafka_client.',
  labelNames: ['certificate'] as const,
  registers,
});

export const eventLoopLongestStall = new Gauge({
  name: 'tributary_event_loop_longest_stall_seconds',
  help: 'Longest time that the event loop stood in the last five minutes, by clock: wall, or cpu (what its thread computed meanwhile).',
  labelNames: ['clock'] as const,
  registers,
});

export const eventLoopStalls = new Histogram({
  name: 'tributary_event_loop_stall_seconds',
  help: 'Seconds of each time that the event loop stood for more than 0.2, by clock: wall, or cpu (what its thread computed meanwhile).',
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
  help: 'Seconds from a request being routed to its answer being sent, by route pattern.',
  labelNames: ['method', 'route'] as const,
  buckets: durations,
  registers,
});

export const httpInFlight = new Gauge({
  name: 'tributary_http_requests_in_flight',
  help: 'Requests being answered now.',
  registers,
});

export const httpBodyBytes = new Gauge({
  name: 'tributary_http_body_in_flight_bytes',
  help: 'Bytes of request bodies held in memory now, decompressed.',
  registers,
});

export const httpAnswerBytes = new Gauge({
  name: 'tributary_http_answer_in_flight_bytes',
  help: 'Bytes of answers held in memory now: read from the store, or waiting for clients to take them.',
  registers,
});

export const httpAnswersCut = new Counter({
  name: 'tributary_http_answers_cut_total',
  help: 'Answers that were cut off because their client took too little of them.',
  registers,
});

export const httpProblems = new Counter({
  name: 'tributary_http_problems_total',
  help: 'Problems that requests were answered with, by their code; what did not reach the client among them.',
  labelNames: ['code'] as const,
  registers,
});

export const exportsDone = new Counter({
  name: 'tributary_exports_total',
  help: 'Exports of events that have begun, by format and outcome: complete, or cut_off.',
  labelNames: ['format', 'outcome'] as const,
  registers,
});

export const sqlRefused = new Counter({
  name: 'tributary_sql_refused_total',
  help: 'SQL statements of analysts that asked for what they may not use.',
  registers,
});

export const authRefused = new Counter({
  name: 'tributary_http_auth_refused_total',
  help: 'Requests refused for their credentials, by problem code: unauthenticated, invalid_token, insufficient_scope …',
  labelNames: ['code'] as const,
  registers,
});

export const rateRefused = new Counter({
  name: 'tributary_http_rate_refused_total',
  help: 'Requests refused because their key has used up what it may do per second, by unit: requests, events.',
  labelNames: ['unit'] as const,
  registers,
});

// Definitions

export const definitionsAge = new Gauge({
  name: 'tributary_definitions_age_seconds',
  help: 'Seconds since the log last said what definitions there are; infinite before it ever has.',
  registers,
});

export const definitionsUnreadable = new Gauge({
  name: 'tributary_definitions_unreadable',
  help: 'Records of the definitions topic that this process could not read, since it began to follow it.',
  registers,
});

export const keyExpiry = new Gauge({
  name: 'tributary_key_earliest_expiry_timestamp_seconds',
  help: 'When the next API key expires, in seconds since 1970, of those that were issued and work; none when no key does.',
  registers,
});

export const projectionState = new Gauge({
  name: 'tributary_projection_state',
  help: 'Always 1: the state of each projection, as its definition says: building, running, paused, failed.',
  labelNames: ['projection', 'state'] as const,
  registers,
});

export const pipelineState = new Gauge({
  name: 'tributary_pipeline_state',
  help: 'Always 1: the state of each pipeline, as its definition says: running, paused, failed.',
  labelNames: ['pipeline', 'state'] as const,
  registers,
});

export const groupLagRecords = new Gauge({
  name: 'tributary_group_lag_records',
  help: 'Records in the log that a group of consumers has not committed, seen from outside: materializer, processor.',
  labelNames: ['group'] as const,
  registers,
});

export const groupLagSeconds = new Gauge({
  name: 'tributary_group_lag_seconds',
  help: 'For how many seconds at least a group has been behind where it is furthest behind, seen from outside; 0 without lag.',
  labelNames: ['group'] as const,
  registers,
});

// Reading

export const readsRunning = new Gauge({
  name: 'tributary_reads_running',
  help: 'Queries that this instance has ClickHouse working on now.',
  registers,
});

export const readsWaiting = new Gauge({
  name: 'tributary_reads_waiting',
  help: 'Queries that wait for their turn now.',
  registers,
});

export const waitForWaiting = new Gauge({
  name: 'tributary_wait_for_waiting',
  help: 'Positions that queries wait for now (wait_for).',
  registers,
});

// Writing

export const eventsRejected = new Counter({
  name: 'tributary_events_rejected_total',
  help: 'Events refused because of what they contain, by problem code.',
  labelNames: ['code'] as const,
  registers,
});

export const schemaMismatches = new Counter({
  name: 'tributary_schema_mismatches_total',
  help: 'Events found not to fit the schema of their type, by stream and mode: enforce (refused) or warn (stored all the same).',
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
  help: 'Characters of the values that Kafka has acknowledged; bytes where they are ASCII.',
  registers,
});

export const produceInFlightBytes = new Gauge({
  name: 'tributary_produce_in_flight_bytes',
  help: 'Bytes handed to Kafka and not yet acknowledged.',
  registers,
});

export const produceDuration = new Histogram({
  name: 'tributary_produce_duration_seconds',
  help: 'Seconds from handing records over to their acknowledgement by all in-sync replicas.',
  buckets: durations,
  registers,
});

export const produceErrors = new Counter({
  name: 'tributary_produce_errors_total',
  help: 'Appends that failed, by reason: overloaded, unavailable, unknown_topic, other.',
  labelNames: ['reason'] as const,
  registers,
});

// Consuming

export const consumeRecords = new Counter({
  name: 'tributary_consume_records_total',
  help: 'Records taken from the log, by stream.',
  labelNames: ['stream'] as const,
  registers,
});

export const consumeLagRecords = new Gauge({
  name: 'tributary_consume_lag_records',
  help: 'Records in the log that this process has not handled yet, by stream, over its partitions.',
  labelNames: ['stream'] as const,
  registers,
});

export const consumeLagSeconds = new Gauge({
  name: 'tributary_consume_lag_seconds',
  help: 'Age in seconds of the oldest record not handled yet, by stream; 0 without lag.',
  labelNames: ['stream'] as const,
  registers,
});

export const consumeLastProgress = new Gauge({
  name: 'tributary_consume_last_progress_timestamp_seconds',
  help: 'When this process last moved on in the log, in seconds since 1970.',
  registers,
});

export const duplicatesDropped = new Counter({
  name: 'tributary_duplicates_dropped_total',
  help: 'Records dropped because their event id had been seen within the window, by stream.',
  labelNames: ['stream'] as const,
  registers,
});

export const idWindowSeconds = new Gauge({
  name: 'tributary_id_window_seconds',
  help: 'Seconds for which an event id that is sent again is recognised, by stream: of the partition with the shortest time.',
  labelNames: ['stream'] as const,
  registers,
});

export const erasedSkipped = new Counter({
  name: 'tributary_erased_skipped_total',
  help: 'Records passed over because their entity was erased, by stream.',
  labelNames: ['stream'] as const,
  registers,
});

export const deadLetters = new Counter({
  name: 'tributary_dead_letters_total',
  help: 'Records that went to the dead letters, by reason.',
  labelNames: ['reason'] as const,
  registers,
});

// Storing

export const insertRows = new Counter({
  name: 'tributary_insert_rows_total',
  help: 'Rows that ClickHouse has taken.',
  registers,
});

export const insertDuration = new Histogram({
  name: 'tributary_insert_duration_seconds',
  help: 'Seconds of one insert into every table.',
  buckets: durations,
  registers,
});

export const insertErrors = new Counter({
  name: 'tributary_insert_errors_total',
  help: 'Inserts that failed, by reason: unavailable, refused.',
  labelNames: ['reason'] as const,
  registers,
});

export const storeDiskFree = new Gauge({
  name: 'tributary_store_disk_free_bytes',
  help: 'Bytes that are free on each disk of ClickHouse, every 15 seconds, told by the materializer.',
  labelNames: ['disk'] as const,
  registers,
});

export const storeDiskSize = new Gauge({
  name: 'tributary_store_disk_size_bytes',
  help: 'Bytes of each disk of ClickHouse.',
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
  help: 'Rows of the active parts of each table; what is replaced or removed goes with the next merge.',
  labelNames: ['table'] as const,
  registers,
});

export const storeTableParts = new Gauge({
  name: 'tributary_store_table_parts',
  help: 'Active parts of each table. ClickHouse slows inserts down past 1000 in one partition, and refuses them past 3000.',
  labelNames: ['table'] as const,
  registers,
});

export const freshness = new Histogram({
  name: 'tributary_freshness_seconds',
  help: 'Seconds from an event being received (ingested_at) to its being stored and ready for queries; one observation a batch and partition, of its oldest event.',
  buckets: durations,
  registers,
});

// Projections

export const projectionBuilds = new Gauge({
  name: 'tributary_projection_builds',
  help: 'Builds of projections that this process runs now.',
  registers,
});

export const projectionEvents = new Counter({
  name: 'tributary_projection_events_total',
  help: 'Events that were folded, by projection; those of its builds together, and again what a crash has repeated.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionFailed = new Counter({
  name: 'tributary_projection_failed_total',
  help: 'Events that could not be folded and went to the dead letters, by projection.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionUnstored = new Counter({
  name: 'tributary_projection_unstored_offsets_total',
  help: 'Offsets that the log had let go of before the materializer was past them, by projection: what was not stored is in no state.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionDuplicates = new Counter({
  name: 'tributary_projection_duplicates_total',
  help: 'Records dropped because their event id had been seen within the window, by projection.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionLagRecords = new Gauge({
  name: 'tributary_projection_lag_records',
  help: 'Records in the log that this process has not folded and saved yet, by projection, over its partitions.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionLagSeconds = new Gauge({
  name: 'tributary_projection_lag_seconds',
  help: 'Age of the oldest record that is not folded and saved yet, by projection; 0 without lag.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionLastProgress = new Gauge({
  name: 'tributary_projection_last_progress_timestamp_seconds',
  help: 'When this process last saved something of a projection, in seconds since 1970.',
  labelNames: ['projection'] as const,
  registers,
});

export const projectionSavedRows = new Counter({
  name: 'tributary_projection_saved_rows_total',
  help: 'States of keys that ClickHouse has taken.',
  registers,
});

export const projectionSaveDuration = new Histogram({
  name: 'tributary_projection_save_duration_seconds',
  help: 'Seconds of one save: dead letters, states and progress of all projections that have changed.',
  buckets: durations,
  registers,
});

// Snapshots

export const snapshots = new Counter({
  name: 'tributary_snapshots_total',
  help: 'Snapshots of entities that were made because their version passed a multiple.',
  registers,
});

export const snapshotFailures = new Counter({
  name: 'tributary_snapshot_failures_total',
  help: 'Snapshots that were due and are left out, by reason: too_large (the state, or reading it), removed_meanwhile, error (those of a batch count as one).',
  labelNames: ['reason'] as const,
  registers,
});

export const snapshotLagRecords = new Gauge({
  name: 'tributary_snapshot_lag_records',
  help: 'Records in the log that this process has not made the snapshots of yet, over its partitions.',
  registers,
});

export const snapshotLagSeconds = new Gauge({
  name: 'tributary_snapshot_lag_seconds',
  help: 'Age of the oldest record whose snapshots are not made yet; 0 without lag.',
  registers,
});

// Pipelines

export const pipelineRuns = new Gauge({
  name: 'tributary_pipeline_runs',
  help: 'Runs of pipelines that this process runs now.',
  registers,
});

export const pipelineProcessed = new Counter({
  name: 'tributary_pipeline_processed_total',
  help: 'Events of the sources that were for it, by pipeline; again what a crash has repeated.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineEmitted = new Counter({
  name: 'tributary_pipeline_emitted_total',
  help: 'Events written to streams and taken by webhooks, by pipeline; again what a crash has repeated.',
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
  help: 'Events that came after their window had closed, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineFailed = new Counter({
  name: 'tributary_pipeline_failed_total',
  help: 'Events that could not be processed and went to the dead letters, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineDuplicates = new Counter({
  name: 'tributary_pipeline_duplicates_total',
  help: 'Records dropped because their event id had been seen within the window, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineLagRecords = new Gauge({
  name: 'tributary_pipeline_lag_records',
  help: 'Records of its sources and of its own topics that this process has not read and saved yet, by pipeline.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineLagSeconds = new Gauge({
  name: 'tributary_pipeline_lag_seconds',
  help: 'Age of the oldest record that is not read and saved yet, by pipeline; 0 without lag.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineWatermark = new Gauge({
  name: 'tributary_pipeline_watermark_timestamp_seconds',
  help: 'The least watermark of the windows that this process has, in seconds since 1970, by pipeline; without any, of the sources.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineLastProgress = new Gauge({
  name: 'tributary_pipeline_last_progress_timestamp_seconds',
  help: 'When this process last saved something of a pipeline, in seconds since 1970.',
  labelNames: ['pipeline'] as const,
  registers,
});

export const pipelineSavedRows = new Counter({
  name: 'tributary_pipeline_saved_rows_total',
  help: 'Rows of windows and keys that ClickHouse has taken.',
  registers,
});

export const webhookAttempts = new Counter({
  name: 'tributary_webhook_attempts_total',
  help: 'Attempts to deliver to webhooks, by pipeline and outcome: delivered; repeated (refused or unanswered, and tried again); given_up (the event went to the dead letters).',
  labelNames: ['pipeline', 'outcome'] as const,
  registers,
});

export const webhookDuration = new Histogram({
  name: 'tributary_webhook_duration_seconds',
  help: 'Seconds of an attempt to deliver to a webhook, until there was an answer or none, by pipeline.',
  labelNames: ['pipeline'] as const,
  // For each pipeline that has webhooks: few.
  buckets: [0.05, 0.25, 1, 5, 15],
  registers,
});

// Live streams

export const liveStreams = new Gauge({
  name: 'tributary_live_streams',
  help: 'Open streams of live events and of changes of projections.',
  registers,
});

export const liveEvents = new Counter({
  name: 'tributary_live_events_total',
  help: 'Events that were written to open streams, to each of them.',
  registers,
});

export const liveChanges = new Counter({
  name: 'tributary_live_changes_total',
  help: 'States of projections that were written to open streams, to each of them.',
  registers,
});

export const liveEnded = new Counter({
  name: 'tributary_live_ended_total',
  help: 'Streams that this side has ended, by the code of the problem that they were told.',
  labelNames: ['code'] as const,
  registers,
});

// Removing

export const removedEvents = new Counter({
  name: 'tributary_removed_events_total',
  help: 'Events taken out of ClickHouse by the materializer, by reason: time, bytes (retention), erased.',
  labelNames: ['reason'] as const,
  registers,
});

export const removalErrors = new Counter({
  name: 'tributary_removal_errors_total',
  help: 'Removals that failed and are tried again later, by reason: time, bytes, erased, deleted, late, purge.',
  labelNames: ['reason'] as const,
  registers,
});

// Tracing

export const traceSpansUnsent = new Counter({
  name: 'tributary_trace_spans_unsent_total',
  help: 'Spans that the collector did not take; they are dropped.',
  registers,
});

// A counter that begins with what it counts shows no increase: what alerts ask for is there from the start.
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

/** `show` is called before each scrape, for what is not worth a timer. It must not throw. Returns what ends that. */
export function onScrape(show: () => void): () => void {
  askedWhenScraped.add(show);
  return () => void askedWhenScraped.delete(show);
}

/** The text that `/metrics` answers with. */
export async function metricsText(): Promise<string> {
  for (const show of askedWhenScraped) show();
  return registry.metrics();
}

/** Its media type. */
export const metricsContentType = registry.contentType;
