import type { paths } from '../generated/openapi.js';
import type { Time, NewData } from './inputs.js';
import type { EntityAddress } from './schemas.js';

/** A query as a caller writes it: a list may be one value or read-only, and a time may be a `Date`. */
type Query<Parameters> = {
  [Name in keyof Parameters]: Name extends 'since' | 'until' | 'as_of'
    ? Time
    : Parameters[Name] extends (infer Item)[] | undefined
      ? Item | readonly Item[]
      : Parameters[Name];
};

/** The query parameters of an operation. */
type QueryOf<Operation extends { parameters: { query?: object } }> = Query<
  NonNullable<Operation['parameters']['query']>
>;

/** Options of a list request. */
export type ListQuery = QueryOf<paths['/api/v1/streams']['get']>;
/** Selects events by streams, types, entities and time. */
export type EventFilter = Omit<QueryOf<paths['/api/v1/events/stream']['get']>, 'format' | 'delivery'>;
/** Selects the events of a live stream, and says whether they are sent once they are stored or once they are accepted. */
export type LiveEventQuery = Omit<QueryOf<paths['/api/v1/events/stream']['get']>, 'format'>;
/** Positions that a read waits for, `stream:partition:offset`; `client.afterWrites()` returns them. */
export type WaitForPositions = QueryOf<paths['/api/v1/events/{event_id}']['get']>;
/** Filters, order and page size of a query for events. Iterating reads all pages. */
export type EventQuery = QueryOf<paths['/api/v1/events/query']['get']>;
/** Filters and grouping of a count of events. */
export type EventCountQuery = QueryOf<paths['/api/v1/events/count']['get']>;
/** Filters and format of an export of events. */
export type EventExportQuery = QueryOf<paths['/api/v1/events/export']['get']>;
/** The formats of an export. */
export type ExportFormat = NonNullable<EventExportQuery['format']>;
/** The entity whose state to read, and as of which time. */
export type EntityStateQuery = QueryOf<paths['/api/v1/entities/{entity_id}/state']['get']> & EntityAddress;
/** Filters of a list of entities. */
export type EntityListQuery = QueryOf<paths['/api/v1/entities']['get']>;
/** Filters of a list of snapshots. */
export type SnapshotListQuery = QueryOf<paths['/api/v1/snapshots']['get']>;
/** Filters of a list of schemas. */
export type SchemaListQuery = QueryOf<paths['/api/v1/schemas']['get']>;
/** Filters of a list of dead letters. */
export type DeadLetterQuery = QueryOf<paths['/api/v1/dead-letters']['get']>;
/** Filters and order of a list of a projection's states. */
export type ProjectionStatesQuery = QueryOf<paths['/api/v1/projections/{name}/state']['get']>;
/** Span of time, jobs and page of a job history. */
export type JobHistoryQuery = QueryOf<paths['/api/v1/job-history']['get']>;

/**
 * Where the server takes the fields of an event from, for a body of arbitrary JSON values: for each field a constant,
 * or a JSON pointer into the value (`/user/id`).
 */
export type RawValueMapping = QueryOf<paths['/api/v1/streams/{stream}/raw']['post']>;
/** Data to check, and against which version of its schema. */
export type DataValidationInput = QueryOf<paths['/api/v1/schemas/{stream}/{event_type}/validate']['post']> &
  NewData;
