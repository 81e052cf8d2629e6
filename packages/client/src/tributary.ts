import {
  append,
  type AppendOptions,
  decide,
  type DecideOptions,
  type DecideFunction,
} from './appending/append.js';
import { path, queryOf, sqlParameters } from './http/address.js';
import { JsonApiClient } from './http/api.js';
import { HttpClient, type ApiRequest, type CallOptions, type Fetch } from './http/http-client.js';
import { requireHttpUrl, requireKnownOptions } from './http/known-options.js';
import { LiveStream, type LiveOptions } from './live/live-stream.js';
import { eventTail } from './live/live-requests.js';
import { eventText } from './producer/event-text.js';
import { parseJson } from './json/json-text.js';
import { Producer, type ProducerOptions } from './producer/producer.js';
import { UuidV7Generator } from './producer/uuid-v7.js';
import { WrittenPositions } from './producer/written-positions.js';
import type { Pages } from './reading/pages.js';
import { SqlRows } from './reading/sql-rows.js';
import { readEvent, type StoredEvent } from './reading/exact-reader.js';
import { readEntityState, type EntityState } from './reading/states.js';
import { DeadLetters } from './resources/dead-letters.js';
import { Entities, Snapshots } from './resources/entities.js';
import { ApiKeys } from './resources/keys.js';
import { Pipelines, Projections, Subscriptions } from './resources/definitions.js';
import { SubscriptionClient } from './resources/subscription.js';
import { Schemas } from './resources/schemas.js';
import { Streams } from './resources/streams.js';
import type {
  BatchWriteResult,
  EventCountQuery,
  NewEntityEvent,
  EventCount,
  LiveEventQuery,
  EventQuery,
  EventExportQuery,
  NewEvent,
  WaitForPositions,
  WrittenEvent,
  EntityAddress,
  EntityStateQuery,
  Health,
  HealthHistory,
  JobHistory,
  JobHistoryQuery,
  Scrub,
  CloudEvent,
  RejectedEventHandling,
  IntakeResult,
  RawValueMapping,
  JsonObject,
  SqlParameters,
} from './types/index.js';

/** URLs, API key and time-out of a client. */
export interface TributaryOptions {
  /** The URL of the query port, with a key, or of the core port, without one. Example: `http://127.0.0.1:3902`. */
  url: string;
  apiKey?: string;
  /** The base URL of the ingest app, to which events are written. Default: `url`. */
  ingestUrl?: string;
  /** The time-out of a request in milliseconds; default 60 000. */
  timeoutMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
}

const optionNames = ['url', 'apiKey', 'ingestUrl', 'timeoutMs', 'fetch'];

const exportTypes = ['application/x-ndjson', 'text/csv', 'application/vnd.apache.'];

/** A format of ClickHouse, and the media types that it may have. */
type SqlFormat = readonly [name: string, types: string[]];

const rowFormat: SqlFormat = ['JSONCompactEachRowWithNames', ['application/x-ndjson', 'application/json']];
const sqlFileFormats: Record<'csv' | 'ndjson', SqlFormat> = {
  csv: ['CSVWithNames', ['text/csv']],
  ndjson: ['JSONEachRow', ['application/x-ndjson', 'application/json']],
};

type SqlOptions = CallOptions & { parameters?: SqlParameters };

/**
 * A client of Tributary. The client has no permanent connection and need not be closed; its producers must be closed.
 */
export class Tributary {
  readonly streams: Streams;
  readonly schemas: Schemas;
  readonly entities: Entities;
  readonly snapshots: Snapshots;
  readonly projections: Projections;
  readonly pipelines: Pipelines;
  readonly subscriptions: Subscriptions;
  readonly deadLetters: DeadLetters;
  readonly keys: ApiKeys;
  private readonly api: JsonApiClient;
  private readonly ingest: HttpClient;
  private readonly ids = new UuidV7Generator();
  private readonly written = new WrittenPositions();

  /** @throws TypeError for an unknown option, or a URL that is missing or not an HTTP URL */
  constructor({ ingestUrl, ...options }: TributaryOptions = { url: '' }) {
    requireKnownOptions('Tributary', options, optionNames);
    requireHttpUrl('url', options.url);
    if (ingestUrl !== undefined) requireHttpUrl('ingestUrl', ingestUrl);
    const http = { timeoutMs: 60_000, ...options };
    this.api = new JsonApiClient(new HttpClient(http));
    this.ingest = new HttpClient({ ...http, url: ingestUrl ?? options.url });
    this.streams = new Streams(this.api, (stream) => this.written.forget([stream]));
    this.schemas = new Schemas(this.api);
    this.entities = new Entities(this.api);
    this.snapshots = new Snapshots(this.api);
    this.projections = new Projections(this.api);
    this.pipelines = new Pipelines(this.api);
    this.subscriptions = new Subscriptions(this.api);
    this.deadLetters = new DeadLetters(this.api);
    this.keys = new ApiKeys(this.api);
  }

  /** Returns the client of one subscription. Nothing is sent. */
  subscription(name: string): SubscriptionClient {
    return new SubscriptionClient(this.api, name);
  }

  /**
   * Returns a producer for many events: it sends them in batches, in order, and repeats them until they are
   * acknowledged.
   */
  producer(options: ProducerOptions = {}): Producer {
    return new Producer(this.ingest, options, (position) => this.written.add(position.stream, position));
  }

  /**
   * Writes one event, and resolves when Kafka has acknowledged it. An event with an `expected_version` resolves when it
   * is accepted. For many events a producer is faster.
   */
  async write(event: NewEvent, { signal }: CallOptions = {}): Promise<WrittenEvent> {
    const body = eventText(event, event.event_id ?? this.ids.next());
    const answer = await this.ingest.repeat({ method: 'POST', path: '/api/v1/events', body, signal });
    const written = parseJson<WrittenEvent>(answer.text);
    this.written.add(written.stream, written);
    return written;
  }

  /**
   * Writes up to 10 000 events with one request. With `atomic`, one refused event prevents all from being written.
   * With lenient handling, refused events are kept as dead letters.
   */
  async writeBatch(
    events: readonly NewEvent[],
    { atomic, handling, signal }: CallOptions & { atomic?: boolean; handling?: RejectedEventHandling } = {},
  ): Promise<BatchWriteResult> {
    const texts = events.map((event) => eventText(event, event.event_id ?? this.ids.next()));
    const body = `{"events":[${texts.join(',')}]}`;
    const request = {
      method: 'POST',
      path: '/api/v1/events/batch',
      query: { atomic },
      headers: preferring(handling),
      body,
      signal,
    } as const;
    const answer = parseJson<BatchWriteResult>((await this.ingest.repeat(request)).text);
    answer.events.forEach((one, i) => 'error' in one || this.written.add(events[i]!.stream, one));
    return answer;
  }

  /**
   * Writes events of one entity if it has the expected version; `0` means that it has no event yet. All events are
   * written, or none is: at most 1 000 events, and at most 1 MB together. Resolves with the versions of the events.
   * Without events it sends nothing, and resolves with an empty list, whatever the version of the entity is.
   * @throws VersionConflictError if the entity has another version. InvalidRequestError with the reasons if one of the events is
   * rejected before. UnknownOutcomeError without an answer in time
   */
  // eslint-disable-next-line max-params -- What to write in the order of all event stores, and the options of every method.
  async append(
    { stream, entity_id }: EntityAddress,
    expectedVersion: number,
    events: readonly NewEntityEvent[],
    options: AppendOptions = {},
  ): Promise<number[]> {
    if (events.length === 0) return [];
    const withIds = events.map((event) => ({ ...event, event_id: event.event_id ?? this.ids.next() }));
    const input = { entity: { stream, entity_id }, expectedVersion, events: withIds };
    const written = await append(this.ingest, input, options);
    for (const event of written) this.written.add(stream, event);
    return written.map(({ version }) => version);
  }

  /**
   * Reads the state of an entity, passes it to the function, and appends the events that the function returns. If
   * another writer has changed the entity meanwhile, it starts again. The state includes all events that this client has
   * written. Resolves with the versions of the events.
   * @throws VersionConflictError after `attempts` conflicts
   */
  decide<State = JsonObject>(
    { stream, entity_id }: EntityAddress,
    decision: DecideFunction<State>,
    { attempts, read, ...options }: DecideOptions<State> = {},
  ): Promise<number[]> {
    const { signal } = options;
    const entity = { stream, entity_id };
    const readState = read ?? (({ wait_for }) => this.state<State>({ ...entity, wait_for }, { signal }));
    const port = {
      read: () => readState({ wait_for: this.afterWrites(stream), signal }),
      append: (version: number, events: readonly NewEntityEvent[]) =>
        this.append(entity, version, events, options),
    };
    return decide(port, decision, { attempts, signal });
  }

  /**
   * Writes JSON values of any form as events: one value, a list, or a sequence of values as text. Handling is lenient
   * by default; with `strict`, one refused value prevents all from being written.
   * @param options.lines The body has one value on each line: invalid JSON affects only its own line.
   */
  async raw(
    { stream, ...query }: RawValueMapping & { stream: string },
    body: string | Uint8Array<ArrayBuffer>,
    { handling, lines, signal }: CallOptions & { handling?: RejectedEventHandling; lines?: boolean } = {},
  ): Promise<IntakeResult> {
    const type = { 'content-type': lines ? 'application/x-ndjson' : 'application/json' };
    const headers = { ...type, ...preferring(handling) };
    return this.intake(stream, { path: path`/api/v1/streams/${stream}/raw`, query, headers, body, signal });
  }

  /**
   * Writes a CloudEvent or a list of them. Handling is strict by default: one refused event prevents all from being
   * written. A CloudEvent that is sent again is stored once.
   */
  async cloudEvents(
    stream: string,
    events: CloudEvent | readonly CloudEvent[],
    { handling, signal }: CallOptions & { handling?: RejectedEventHandling } = {},
  ): Promise<IntakeResult> {
    const form = Array.isArray(events) ? 'cloudevents-batch' : 'cloudevents';
    const { prefer = '' } = preferring(handling);
    const headers = {
      'content-type': `application/${form}+json`,
      prefer: ['return=representation', prefer].filter(Boolean).join(', '),
    };
    const body = JSON.stringify(events);
    return this.intake(stream, { path: path`/api/v1/streams/${stream}/cloudevents`, headers, body, signal });
  }

  private async intake(stream: string, request: Omit<ApiRequest, 'method'>): Promise<IntakeResult> {
    const answer = await this.ingest.repeat({ method: 'POST', ...request });
    const intake = parseJson<IntakeResult>(answer.text);
    for (const position of intake.positions) this.written.add(stream, position);
    return intake;
  }

  /**
   * Forgets the positions that `afterWrites` returns, in these streams or in all. Call it if another client has deleted a stream
   * that this client wrote to: the next stream of that name never reaches the old positions.
   */
  forgetWrites(...streams: string[]): void {
    this.written.forget(streams);
  }

  /**
   * Returns the last positions that this client and its producers have written, in these streams or in all. A read
   * with these positions as `wait_for` includes all written events.
   */
  afterWrites(...streams: string[]): string[] {
    return this.written.list(streams);
  }

  events<Data = JsonObject>(query: EventQuery = {}, options: CallOptions = {}): Pages<StoredEvent<Data>> {
    const list = { path: '/api/v1/events/query', name: 'events', query };
    return this.api.list({ ...list, readItem: readEvent<Data> }, options);
  }

  async event<Data = JsonObject>(
    eventId: string,
    { signal, wait_for }: CallOptions & WaitForPositions = {},
  ): Promise<StoredEvent<Data>> {
    const address = path`/api/v1/events/${eventId}`;
    return readEvent(await this.api.text({ path: address, query: { wait_for }, signal }));
  }

  count(query: EventCountQuery = {}, { signal }: CallOptions = {}): Promise<EventCount> {
    return this.api.get({ path: '/api/v1/events/count', query: queryOf(query), signal });
  }

  /**
   * Exports all matching events as the bytes of a file. Read them to their end: if the answer fails, reading rejects.
   * The signal cancels it.
   */
  async export(
    query: EventExportQuery = {},
    { signal }: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const request = { path: '/api/v1/events/export', query: queryOf(query) };
    const { body } = await this.api.http.open(request, signal ?? new AbortController().signal, exportTypes);
    return body;
  }

  /**
   * Runs a SELECT on the query port; the key needs `sql:read`. Resolves when the answer begins; its rows are
   * streamed. The signal cancels the statement, and so does leaving the loop over the rows. @throws SqlError
   */
  async sql<Row = JsonObject>(statement: string, options: SqlOptions = {}): Promise<SqlRows<Row>> {
    const { body, headers } = await this.openSql(statement, rowFormat, options);
    return SqlRows.of<Row>(body, headers.get('x-tributary-warning') ?? undefined);
  }

  /**
   * Runs a SELECT and streams the whole result as a file. The signal cancels the statement. If the statement fails
   * after the first rows, reading the stream throws. @throws SqlError
   */
  async exportSql(
    statement: string,
    { format, ...options }: SqlOptions & { format: 'csv' | 'ndjson' },
  ): Promise<ReadableStream<Uint8Array>> {
    return (await this.openSql(statement, sqlFileFormats[format], options)).body;
  }

  private openSql(
    statement: string,
    [name, types]: SqlFormat,
    { parameters = {}, signal = new AbortController().signal }: SqlOptions,
  ): ReturnType<HttpClient['open']> {
    const request = {
      method: 'POST',
      path: '/',
      query: { ...sqlParameters(parameters), default_format: name },
      headers: { 'content-type': 'text/plain' },
      body: statement,
    } as const;
    return this.api.http.open(request, signal, types);
  }

  /**
   * Streams events as they arrive, until the signal is aborted or the iteration ends. With `since`, stored events
   * come first. With `delivery: 'accepted'`, events come before they can be queried, without a version.
   */
  tail<Data = JsonObject>(
    filter: LiveEventQuery = {},
    options: LiveOptions = {},
  ): LiveStream<StoredEvent<Data>> {
    return new LiveStream(this.api.http, eventTail<Data>(filter), options);
  }

  /** Returns the state of an entity: the merged data of its events, now or as of a time. */
  async state<State = JsonObject>(
    { entity_id, ...query }: EntityStateQuery,
    { signal }: CallOptions = {},
  ): Promise<EntityState<State>> {
    const address = path`/api/v1/entities/${entity_id}/state`;
    return readEntityState(await this.api.text({ path: address, query: queryOf(query), signal }));
  }

  /** Lists the changes of definitions and their authors: the events of the audit. */
  audit(query: Omit<EventQuery, 'stream'> = {}, options: CallOptions = {}): Pages<StoredEvent> {
    return this.events({ ...query, stream: 'tributary.audit' }, options);
  }

  /** Returns the health of the instance: all checks, or those of `live` or `ready`. A bad state is not an error. */
  health(kind?: 'live' | 'ready', { signal }: CallOptions = {}): Promise<Health> {
    const address = kind ? `/health/${kind}` : '/health';
    return this.api.get({ path: address, accept: 503, signal });
  }

  /** Returns the lag and the number of failed jobs over the last hour, as the instance has measured them. */
  healthHistory({ signal }: CallOptions = {}): Promise<HealthHistory> {
    return this.api.get({ path: '/api/v1/health-history', signal });
  }

  /**
   * Returns the events per second, the failed events and the lag of each job over the last hour, day or week, as the
   * instance has measured them: a page of jobs. Send its `next_cursor` as `cursor` of the same query for the next page.
   */
  jobHistory(query: JobHistoryQuery = {}, { signal }: CallOptions = {}): Promise<JobHistory> {
    return this.api.get({ path: '/api/v1/job-history', query: queryOf(query), signal });
  }

  /**
   * Asks the materializers to compare ClickHouse with Kafka now, and to repair ClickHouse. The key needs the scope `admin`.
   * Resolves when it is requested: follow the progress with `scrubProgress`.
   */
  scrub({ signal }: CallOptions = {}): Promise<Scrub> {
    return this.api.change('POST', '/api/v1/scrubs', { signal });
  }

  /** Returns what a scrub has found so far. */
  scrubProgress(scrubId: string, { signal }: CallOptions = {}): Promise<Scrub> {
    return this.api.get({ path: path`/api/v1/scrubs/${scrubId}`, signal });
  }

  /** Returns the metrics in the text format of Prometheus. */
  metrics({ signal }: CallOptions = {}): Promise<string> {
    return this.api.text({ path: '/metrics', signal });
  }
}

function preferring(handling: RejectedEventHandling | undefined): Record<string, string> {
  return handling ? { prefer: `handling=${handling}` } : {};
}
