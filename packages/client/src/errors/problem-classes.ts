import { ProblemError } from './tributary-error.js';

/** Answer 400 `invalid_request`: the request is not valid. */
export class InvalidRequestError extends ProblemError {}
/** Answer 400 `invalid_json`: the body is not valid JSON. */
export class InvalidJsonError extends ProblemError {}
/** Answer 400 `invalid_cursor`: the cursor does not belong to this query. */
export class InvalidCursorError extends ProblemError {}
/** Answer 400 `invalid_schema`: the schema cannot be used. */
export class InvalidSchemaError extends ProblemError {}
/** Answer 400 `invalid_expression`: the expression cannot be used. */
export class InvalidExpressionError extends ProblemError {}
/** Answer 400 `one_entity`: the events of an atomic batch with a condition are not of one entity. */
export class OneEntityError extends ProblemError {}
/** Answer 401 `unauthenticated`: credentials are required. */
export class UnauthenticatedError extends ProblemError {}
/** Answer 401 `invalid_token`: the API key is not valid. */
export class InvalidTokenError extends ProblemError {}
/** Answer 403 `insufficient_scope`: the API key does not permit this. */
export class InsufficientScopeError extends ProblemError {}
/** Answer 403 `stream_forbidden`: the API key does not permit this stream. */
export class StreamForbiddenError extends ProblemError {}
/** Answer 403 `stream_reserved`: the name is reserved for the system. */
export class StreamReservedError extends ProblemError {}
/** Answer 403 `cross_site_request`: pages of other sites may not use this port. */
export class CrossSiteRequestError extends ProblemError {}
/** Answer 404 `not_found`: there is nothing at this address. */
export class AddressNotFoundError extends ProblemError {}
/** Answer 404 `event_not_found`: there is no event with this id. */
export class EventNotFoundError extends ProblemError {}
/** Answer 404 `stream_not_found`: there is no stream with this name. */
export class StreamNotFoundError extends ProblemError {}
/** Answer 404 `schema_not_found`: there is no such schema. */
export class SchemaNotFoundError extends ProblemError {}
/** Answer 404 `key_not_found`: there is no key with this id. */
export class ApiKeyNotFoundError extends ProblemError {}
/** Answer 404 `entity_not_found`: there is no such entity. */
export class EntityNotFoundError extends ProblemError {}
/** Answer 404 `projection_not_found`: there is no projection with this name. */
export class ProjectionNotFoundError extends ProblemError {}
/** Answer 404 `pipeline_not_found`: there is no pipeline with this name. */
export class PipelineNotFoundError extends ProblemError {}
/** Answer 404 `subscription_not_found`: there is no subscription with this name. */
export class SubscriptionNotFoundError extends ProblemError {}
/** Answer 404 `projection_key_not_found`: the projection has no such key. */
export class ProjectionKeyNotFoundError extends ProblemError {}
/** Answer 409 `snapshot_impossible`: the entity has no state for a snapshot. */
export class SnapshotImpossibleError extends ProblemError {}
/** Answer 405 `method_not_allowed`: the method is not allowed here. */
export class MethodNotAllowedError extends ProblemError {}
/** Answer 406 `not_acceptable`: none of the accepted media types can be produced. */
export class NotAcceptableError extends ProblemError {}
/** Answer 408 `request_timeout`: the request was not sent in time. */
export class RequestTimeoutError extends ProblemError {}
/** Answer 409 `partial_repeat`: only some events of an atomic batch were written before. */
export class PartialRepeatError extends ProblemError {}
/** Answer 409 `stream_exists`: the stream exists already. */
export class StreamExistsError extends ProblemError {}
/** Answer 409 `stream_name_collision`: the name collides with that of another stream. */
export class StreamNameCollisionError extends ProblemError {}
/** Answer 409 `stream_limit_reached`: the number of streams has reached its limit. */
export class StreamLimitReachedError extends ProblemError {}
/** Answer 409 `key_inactive`: the API key is revoked or expired. */
export class ApiKeyInactiveError extends ProblemError {}
/** Answer 409 `stream_being_deleted`: the stream is being deleted. */
export class StreamBeingDeletedError extends ProblemError {}
/** Answer 409 `schema_incompatible`: the schema is not compatible with earlier versions. */
export class SchemaIncompatibleError extends ProblemError {}
/** Answer 409 `definition_limit_reached`: the number of definitions of this kind has reached its limit. */
export class DefinitionLimitReachedError extends ProblemError {}
/** Answer 409 `projection_exists`: there is a projection with this name already. */
export class ProjectionExistsError extends ProblemError {}
/** Answer 409 `pipeline_exists`: there is a pipeline with this name already. */
export class PipelineExistsError extends ProblemError {}
/** Answer 409 `pipeline_loop`: the pipeline would feed itself. */
export class PipelineLoopError extends ProblemError {}
/** Answer 409 `subscription_paused`: the subscription is paused. */
export class SubscriptionPausedError extends ProblemError {}
/** Answer 409 `subscription_source_fixed`: the source and the start of a subscription cannot be changed. */
export class SubscriptionSourceFixedError extends ProblemError {}
/** Answer 413 `payload_too_large`: the body is too large. */
export class PayloadTooLargeError extends ProblemError {}
/** Answer 414 `uri_too_long`: the URI is too long. */
export class UriTooLongError extends ProblemError {}
/** Answer 415 `unsupported_media_type`: the media type is not supported. */
export class UnsupportedMediaTypeError extends ProblemError {}
/** Answer 417 `expectation_failed`: the expectation cannot be met. */
export class ExpectationFailedError extends ProblemError {}
/** Answer 421 `host_not_allowed`: this instance does not serve this host. */
export class HostNotAllowedError extends ProblemError {}
/** Answer 431 `headers_too_large`: the headers are too large. */
export class HeadersTooLargeError extends ProblemError {}
/** Answer 429 `too_many_requests`: too many requests. */
export class TooManyRequestsError extends ProblemError {}
/** Answer 500 `internal_error`: the server failed with an internal error. */
export class InternalError extends ProblemError {}
/** Answer 503 `overloaded`: this instance is overloaded. */
export class OverloadedError extends ProblemError {}
/** Answer 503 `log_unavailable`: Kafka cannot be reached. */
export class LogUnavailableError extends ProblemError {}
/** Answer 503 `store_unavailable`: ClickHouse cannot be reached. */
export class StoreUnavailableError extends ProblemError {}
/** Answer 503 `starting`: this instance is still starting. */
export class StartingError extends ProblemError {}
/** Answer 503 `shutting_down`: this instance is shutting down. */
export class ShuttingDownError extends ProblemError {}
/** Answer 503 `definition_conflict`: other requests keep changing the same definition. */
export class DefinitionConflictError extends ProblemError {}
/** Answer 503 `projection_building`: the projection is still being built. */
export class ProjectionBuildingError extends ProblemError {}
/** Answer 422 `entity_state_too_large`: the state of the entity is too large. */
export class EntityStateTooLargeError extends ProblemError {}
/** Answer 422 `schema_too_expensive`: the event takes too long to validate against its schema. */
export class SchemaTooExpensiveError extends ProblemError {}
/** Answer 422 `schema_violation`: the event does not match its schema. */
export class SchemaViolationError extends ProblemError {}
/** Answer 422 `query_too_expensive`: the query costs more than is allowed. */
export class QueryTooExpensiveError extends ProblemError {}
/** Answer 504 `not_yet_materialized`: the position cannot be queried yet. */
export class NotYetMaterializedError extends ProblemError {}

/** The entity does not have the expected version. The event was not written. */
export class VersionConflictError extends ProblemError {
  /** The version of the entity when the event was refused. */
  get currentVersion(): number {
    return this.problem.current_version!;
  }
}

/** The expected version was not compared in time. The same event, with the same `event_id`, gets the answer later. */
export class UndecidedError extends ProblemError {}

/** The error class of each problem code. */
export const problemClasses = {
  invalid_request: InvalidRequestError,
  invalid_json: InvalidJsonError,
  invalid_cursor: InvalidCursorError,
  invalid_schema: InvalidSchemaError,
  invalid_expression: InvalidExpressionError,
  unauthenticated: UnauthenticatedError,
  invalid_token: InvalidTokenError,
  insufficient_scope: InsufficientScopeError,
  stream_forbidden: StreamForbiddenError,
  stream_reserved: StreamReservedError,
  cross_site_request: CrossSiteRequestError,
  not_found: AddressNotFoundError,
  event_not_found: EventNotFoundError,
  stream_not_found: StreamNotFoundError,
  schema_not_found: SchemaNotFoundError,
  key_not_found: ApiKeyNotFoundError,
  entity_not_found: EntityNotFoundError,
  projection_not_found: ProjectionNotFoundError,
  pipeline_not_found: PipelineNotFoundError,
  subscription_not_found: SubscriptionNotFoundError,
  projection_key_not_found: ProjectionKeyNotFoundError,
  snapshot_impossible: SnapshotImpossibleError,
  method_not_allowed: MethodNotAllowedError,
  not_acceptable: NotAcceptableError,
  request_timeout: RequestTimeoutError,
  stream_exists: StreamExistsError,
  stream_name_collision: StreamNameCollisionError,
  stream_limit_reached: StreamLimitReachedError,
  key_inactive: ApiKeyInactiveError,
  stream_being_deleted: StreamBeingDeletedError,
  schema_incompatible: SchemaIncompatibleError,
  definition_limit_reached: DefinitionLimitReachedError,
  projection_exists: ProjectionExistsError,
  pipeline_exists: PipelineExistsError,
  pipeline_loop: PipelineLoopError,
  subscription_paused: SubscriptionPausedError,
  subscription_source_fixed: SubscriptionSourceFixedError,
  payload_too_large: PayloadTooLargeError,
  uri_too_long: UriTooLongError,
  unsupported_media_type: UnsupportedMediaTypeError,
  expectation_failed: ExpectationFailedError,
  host_not_allowed: HostNotAllowedError,
  headers_too_large: HeadersTooLargeError,
  too_many_requests: TooManyRequestsError,
  internal_error: InternalError,
  overloaded: OverloadedError,
  log_unavailable: LogUnavailableError,
  store_unavailable: StoreUnavailableError,
  starting: StartingError,
  shutting_down: ShuttingDownError,
  definition_conflict: DefinitionConflictError,
  projection_building: ProjectionBuildingError,
  entity_state_too_large: EntityStateTooLargeError,
  schema_too_expensive: SchemaTooExpensiveError,
  schema_violation: SchemaViolationError,
  query_too_expensive: QueryTooExpensiveError,
  not_yet_materialized: NotYetMaterializedError,
  one_entity: OneEntityError,
  partial_repeat: PartialRepeatError,
  version_conflict: VersionConflictError,
  undecided: UndecidedError,
};
