import type { ApiSchemas, Replace } from './api-schemas.js';
import type { JsonText, NewEvent } from './inputs.js';
import type { Operator } from './operator.js';

/** The position of a written event in the log. */
export type WrittenPosition = ApiSchemas['WrittenPosition'];
/** The answer to one written event. */
export type WrittenEvent = ApiSchemas['WrittenEvent'];
/** The reason why one event of a batch was not written. */
export type RejectedEvent = ApiSchemas['RejectedEvent'];
/** The answer to a batch: a position or an error for each event, in order. */
export type BatchWriteResult = ApiSchemas['BatchWritten'];
/** The last position that a request has written in one partition. */
export type LastWrittenPosition = ApiSchemas['LastWrittenPosition'];
/** A refused value, and the position of the record that keeps it. */
export type RefusedValue = ApiSchemas['RefusedValue'];
/** The answer to a write of raw values or CloudEvents. The answer does not list the events. */
export type IntakeResult = ApiSchemas['IntakeAnswer'];

/** Result of a count of events. */
export type EventCount = ApiSchemas['EventCount'];
/** Number of events in one interval, of one group, or both. */
export type EventCountBucket = ApiSchemas['EventCountBucket'];

/** A member of `where` that no event has, in an answer without events: perhaps it is misspelt. */
export type WhereHint = ApiSchemas['WhereHint'];

/** One entity of one stream. */
export type EntityAddress = ApiSchemas['EntitySnapshotInput'];
/** An entity in a list, with its latest version. */
export type Entity = ApiSchemas['EntityAnswer'];
/** The result of an erasure. */
export type ErasureResult = ApiSchemas['ErasureAnswer'];

/** A stream to create. */
export type StreamInput = ApiSchemas['StreamInput'];
/** The members of a stream to change. A retention replaces the previous one. */
export type StreamChange = ApiSchemas['StreamChangeInput'];
/** The definition of a stream, as the request that created it returns it. */
export type CreatedStream = ApiSchemas['CreatedStream'];
/** A stream's definition, and a summary of its events. */
export type Stream = ApiSchemas['StreamAnswer'];
/** One stream, including a member that would be too expensive for a list. */
export type StreamDetail = ApiSchemas['StreamDetail'];
/** How long Kafka keeps the events of a stream: without a limit, or limited by age, by bytes, or by both. */
export type Retention = CreatedStream['retention'];

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = boolean | { [keyword: string]: unknown };
/** The OpenAPI document says that a JSON Schema is any value. */
type WithSchema<Type> = Replace<Type, { schema: JsonSchema }>;
/** A JSON Schema to register for the events of one type in one stream. */
export type SchemaInput = WithSchema<ApiSchemas['SchemaInput']>;
/** One version of a registered JSON Schema. */
export type Schema = WithSchema<ApiSchemas['SchemaAnswer']>;
/** The stream and the event type that a schema belongs to. */
export type SchemaAddress = Pick<Schema, 'stream' | 'event_type'>;
/** Which changes of a schema a new version may make, as in a schema registry. */
export type Compatibility = Schema['compatibility'];
/**
 * What happens to an event that does not match its schema. `enforce`: it is refused. `warn`: it is stored and counted
 * in a metric. `off`: events are not checked.
 */
export type SchemaMode = Schema['mode'];
/** A JSON Schema whose compatibility to check. */
export type SchemaCheckInput = WithSchema<ApiSchemas['SchemaCheckInput']>;
/** Whether a schema would be accepted as the next version. */
export type SchemaCheckResult = ApiSchemas['SchemaCheckAnswer'];
/** One reason why a schema is incompatible with earlier versions. */
export type Incompatibility = ApiSchemas['IncompatibilityAnswer'];
/** Whether data matches a version of a schema. */
export type DataValidationResult = ApiSchemas['DataValidationAnswer'];
/** One violation of a schema by the data of an event. */
export type Violation = ApiSchemas['ViolationAnswer'];

/** The events that a projection, a pipeline or a subscription reads. */
export type DefinitionSource = ApiSchemas['ProjectionSourceInput'];
/** How one field of a projection's state is computed. */
export type Field = ApiSchemas['ProjectionFieldInput'];
/** How a field of a projection's state is computed from the events of a key. */
export type FoldOperationName = Field['op'];
/** The definition of a new projection. */
export type ProjectionInput = ApiSchemas['ProjectionInput'];
/** The new definition of an existing projection. The URL contains the name, so `name` may be omitted. */
export type ProjectionReplacement = ApiSchemas['ProjectionReplacementInput'];
/** A projection's definition and status. */
export type Projection = ApiSchemas['ProjectionAnswer'];
/** A projection's definition and status, with the counts and the lag of the version that serves reads. */
export type ProjectionWithStats = ApiSchemas['ProjectionWithStatsAnswer'];
/** A projection with its statistics, and the progress of a version that is being built. */
export type ProjectionDetail = ApiSchemas['ProjectionDetailAnswer'];
/** Where a projection or pipeline starts in a stream that it has not read yet. */
export type SourceStart = Projection['from'];

/** The OpenAPI document says that an operator is any object. */
type WithOperators<Type> = Replace<Type, { operators: Operator[] }>;
/** The events that a pipeline processes. */
export type PipelineSource = ApiSchemas['PipelineSourceInput'];
/** The definition of a new pipeline. */
export type PipelineInput = WithOperators<ApiSchemas['PipelineInput']>;
/** The new definition of an existing pipeline. The URL contains the name, so `name` may be omitted. */
export type PipelineReplacement = WithOperators<ApiSchemas['PipelineReplacementInput']>;
/** A pipeline's definition and status. */
export type Pipeline = WithOperators<ApiSchemas['PipelineAnswer']>;
/** A pipeline's definition and status, with the counts and the lag of its current job. */
export type PipelineWithStats = WithOperators<ApiSchemas['PipelineWithStatsAnswer']>;
/** A pipeline's definition and status, with the counts of its current job and of each operator. */
export type PipelineDetail = WithOperators<ApiSchemas['PipelineDetailAnswer']>;
/** Numbers of events at one operator, since the start of the pipeline's job. */
export type PipelineStepStats = ApiSchemas['PipelineStepStatsAnswer'];
/** Deliveries to a webhook that are repeated, because its receiver does not accept them. */
export type DeliveryRetry = ApiSchemas['DeliveryRetryAnswer'];
/** A Kafka topic that a pipeline uses internally, before a window or dedupe. */
export type InternalTopic = ApiSchemas['InternalTopicAnswer'];

/** The definition of a subscription. The URL contains the name, so `name` may be omitted. */
export type SubscriptionInput = ApiSchemas['SubscriptionInput'];
/** How an event is repeated that a worker rejects or does not acknowledge in time. */
export type SubscriptionRetryInput = ApiSchemas['SubscriptionRetryInput'];
/** How long an event waits for its next attempt. */
export type SubscriptionBackoffInput = ApiSchemas['SubscriptionBackoffInput'];
/** A subscription's definition and status. */
export type Subscription = ApiSchemas['SubscriptionAnswer'];
/** A subscription with what it has handed out. */
export type SubscriptionWithStats = ApiSchemas['SubscriptionWithStatsAnswer'];
/** How a subscription repeats events, with its defaults. */
export type SubscriptionRetry = ApiSchemas['SubscriptionRetryAnswer'];
/** How long the events of a subscription wait for their next attempt, with its defaults. */
export type SubscriptionBackoff = ApiSchemas['SubscriptionBackoffAnswer'];

/** A pipeline definition, and events to try it with. */
export type DryRunInput = Replace<
  ApiSchemas['DryRunInput'],
  { definition: PipelineReplacement | JsonText; events: NewEvent[] }
>;
/** Result of a dry run: what each operator does with the events, and what the pipeline would write. */
export type DryRunReport = ApiSchemas['DryRunReportAnswer'];
/** An event at one step of a dry run. */
export type DryRunEvent = ApiSchemas['DryRunEvent'];
/** One input event of a dry run, and what each operator that it reaches does with it. */
export type DryRunTrace = ApiSchemas['DryRunTraceAnswer'];
/** The result of one window of a dry run, and what each later operator does with it. */
export type DryRunWindow = ApiSchemas['DryRunWindowAnswer'];
/** What one operator did with one event in a dry run. */
export type DryRunStep = ApiSchemas['DryRunStepAnswer'];
/** An event that the pipeline would write to a stream or send to a webhook. */
export type DryRunEmittedEvent = ApiSchemas['DryRunEmittedEventAnswer'];
/** An event that arrived too late for its operator in a dry run. */
export type DryRunLateEvent = ApiSchemas['DryRunLateEventAnswer'];
/** An event that an operator could not process in a dry run. */
export type DryRunFailedEvent = ApiSchemas['DryRunFailedEventAnswer'];

/**
 * A record that could not become an event, or an event that failed in a projection or pipeline. Its `source` is the consumer
 * that could not process it: `materializer`, `projection:<name>` or `pipeline:<name>`.
 */
export type DeadLetter = ApiSchemas['DeadLetterAnswer'];
/** Selects the dead letters to replay: by ids, or all of a source. */
export type ReplayInput = ApiSchemas['ReplayInput'];
/** Result of a replay of dead letters: how many were replayed, and which failed. */
export type ReplayReport = ApiSchemas['ReplayAnswer'];
/** A dead letter that was not replayed, and why. */
export type UnreplayedDeadLetter = ApiSchemas['UnreplayedDeadLetterAnswer'];
/** The event that a replay has written for a dead letter. */
export type ReplayWrittenEvent = ApiSchemas['ReplayWrittenEventAnswer'];

/** An API key to issue. */
export type ApiKeyInput = ApiSchemas['KeyInput'];
/** An API key without its secret text. */
export type ApiKey = ApiSchemas['KeyAnswer'];
/** An API key that was just issued or rotated, with its secret text. */
export type IssuedApiKey = ApiSchemas['IssuedKeyAnswer'];
/** How long the old secret remains valid after a rotation. */
export type ApiKeyRotationInput = ApiSchemas['RotationInput'];
/** A permission of an API key. */
export type ApiKeyScope = ApiKey['scopes'][number];
/** Rate limits of an API key, per gateway or ingest process. */
export type RateLimit = NonNullable<ApiKey['rate_limit']>;
/** Rate limits of a new API key; null or no member means no limit. */
export type RateLimitInput = ApiSchemas['RateLimitInput'];

/**
 * The answer of `/health` of a gateway or ingest process. Its `status` is `ok`, `degraded` if the process works, but an
 * operator must act, or another word for what is wrong.
 */
export type Health = ApiSchemas['HealthAnswer'];
/** The figures of the last hour that a gateway instance has measured. */
export type HealthHistory = ApiSchemas['HealthHistoryAnswer'];
/** The largest figures of one interval; null for a figure that was not measured in it. */
export type HealthHistorySample = ApiSchemas['HealthHistorySample'];
/** A page of jobs, with their rates and lags in each interval of the last hour, day or week. */
export type JobHistory = ApiSchemas['JobHistoryAnswer'];
/** The rates and lags of one job: lists with one value for each interval, the oldest first; null for one that was not measured. */
export type JobHistoryItem = ApiSchemas['JobHistoryItem'];

/** A requested scrub: what it has found so far, by stream. */
export type Scrub = ApiSchemas['ScrubAnswer'];
/** What a scrub has found in one stream so far. */
export type ScrubbedStream = ApiSchemas['ScrubbedStream'];
/** The lag of the materializer or of the processors: the records that have not been read, and the age of the oldest. */
export type LagSample = ApiSchemas['LagSample'];

/** The reason why a request was refused (RFC 9457). The server's log contains its `request_id`: mention it in an error report. */
export type Problem = ApiSchemas['Problem'];
/** Stable code of a problem in an answer of the API, such as `stream_not_found`. */
export type ProblemCode = Problem['code'];
/** An error in one part of a request. */
export type InputProblem = ApiSchemas['InputProblem'];
