/** Stable code of a problem in an answer of the API, such as `stream_not_found`. */
export type ProblemCode =
  | 'invalid_request'
  | 'invalid_json'
  | 'invalid_cursor'
  | 'invalid_schema'
  | 'invalid_expression'
  | 'unauthenticated'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'stream_forbidden'
  | 'stream_reserved'
  | 'cross_site_request'
  | 'not_found'
  | 'event_not_found'
  | 'stream_not_found'
  | 'schema_not_found'
  | 'key_not_found'
  | 'entity_not_found'
  | 'projection_not_found'
  | 'pipeline_not_found'
  | 'projection_key_not_found'
  | 'snapshot_impossible'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'request_timeout'
  | 'stream_exists'
  | 'stream_name_collision'
  | 'stream_limit_reached'
  | 'key_inactive'
  | 'stream_being_deleted'
  | 'schema_incompatible'
  | 'definition_limit_reached'
  | 'projection_exists'
  | 'pipeline_exists'
  | 'pipeline_loop'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'host_not_allowed'
  | 'headers_too_large'
  | 'too_many_requests'
  | 'internal_error'
  | 'overloaded'
  | 'log_unavailable'
  | 'store_unavailable'
  | 'starting'
  | 'shutting_down'
  | 'definition_conflict'
  | 'projection_building'
  | 'entity_state_too_large'
  | 'schema_too_expensive'
  | 'schema_violation'
  | 'version_conflict'
  | 'query_too_expensive'
  | 'not_yet_materialized'
  | 'undecided';

/** An error in one part of a request. */
export interface InputProblem {
  /** A JSON pointer into the body, or the name of a parameter. */
  pointer: string;
  detail: string;
}

/** The reason why a request was refused (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  /** Mention it in an error report: the server's log contains it. */
  request_id: string;
  errors?: InputProblem[];
  /** With `version_conflict`: the version of the entity. */
  current_version?: number;
}
