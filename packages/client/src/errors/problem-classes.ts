import { ProblemError } from './problem-error.js';

export class InvalidRequestError extends ProblemError {}
export class InvalidJsonError extends ProblemError {}
export class InvalidCursorError extends ProblemError {}
export class InvalidSchemaError extends ProblemError {}
export class InvalidExpressionError extends ProblemError {}
export class UnauthenticatedError extends ProblemError {}
export class InvalidTokenError extends ProblemError {}
export class InsufficientScopeError extends ProblemError {}
export class StreamForbiddenError extends ProblemError {}
export class StreamReservedError extends ProblemError {}
export class CrossSiteRequestError extends ProblemError {}
export class NotFoundError extends ProblemError {}
export class EventNotFoundError extends ProblemError {}
export class StreamNotFoundError extends ProblemError {}
export class SchemaNotFoundError extends ProblemError {}
export class KeyNotFoundError extends ProblemError {}
export class EntityNotFoundError extends ProblemError {}
export class ProjectionNotFoundError extends ProblemError {}
export class PipelineNotFoundError extends ProblemError {}
export class ProjectionKeyNotFoundError extends ProblemError {}
export class SnapshotImpossibleError extends ProblemError {}
export class MethodNotAllowedError extends ProblemError {}
export class NotAcceptableError extends ProblemError {}
export class RequestTimeoutError extends ProblemError {}
export class StreamExistsError extends ProblemError {}
export class StreamNameCollisionError extends ProblemError {}
export class StreamLimitReachedError extends ProblemError {}
export class KeyInactiveError extends ProblemError {}
export class StreamBeingDeletedError extends ProblemError {}
export class SchemaIncompatibleError extends ProblemError {}
export class DefinitionLimitReachedError extends ProblemError {}
export class ProjectionExistsError extends ProblemError {}
export class PipelineExistsError extends ProblemError {}
export class PipelineLoopError extends ProblemError {}
export class PayloadTooLargeError extends ProblemError {}
export class UriTooLongError extends ProblemError {}
export class UnsupportedMediaTypeError extends ProblemError {}
export class ExpectationFailedError extends ProblemError {}
export class HostNotAllowedError extends ProblemError {}
export class HeadersTooLargeError extends ProblemError {}
export class TooManyRequestsError extends ProblemError {}
export class InternalError extends ProblemError {}
export class OverloadedError extends ProblemError {}
export class LogUnavailableError extends ProblemError {}
export class StoreUnavailableError extends ProblemError {}
export class StartingError extends ProblemError {}
export class ShuttingDownError extends ProblemError {}
export class DefinitionConflictError extends ProblemError {}
export class ProjectionBuildingError extends ProblemError {}
export class EntityStateTooLargeError extends ProblemError {}
export class SchemaTooExpensiveError extends ProblemError {}
export class SchemaViolationError extends ProblemError {}
export class QueryTooExpensiveError extends ProblemError {}
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
  not_found: NotFoundError,
  event_not_found: EventNotFoundError,
  stream_not_found: StreamNotFoundError,
  schema_not_found: SchemaNotFoundError,
  key_not_found: KeyNotFoundError,
  entity_not_found: EntityNotFoundError,
  projection_not_found: ProjectionNotFoundError,
  pipeline_not_found: PipelineNotFoundError,
  projection_key_not_found: ProjectionKeyNotFoundError,
  snapshot_impossible: SnapshotImpossibleError,
  method_not_allowed: MethodNotAllowedError,
  not_acceptable: NotAcceptableError,
  request_timeout: RequestTimeoutError,
  stream_exists: StreamExistsError,
  stream_name_collision: StreamNameCollisionError,
  stream_limit_reached: StreamLimitReachedError,
  key_inactive: KeyInactiveError,
  stream_being_deleted: StreamBeingDeletedError,
  schema_incompatible: SchemaIncompatibleError,
  definition_limit_reached: DefinitionLimitReachedError,
  projection_exists: ProjectionExistsError,
  pipeline_exists: PipelineExistsError,
  pipeline_loop: PipelineLoopError,
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
  version_conflict: VersionConflictError,
  undecided: UndecidedError,
};
