import { permitsStream, type StreamAccess } from '#api';
import { projectionStreams, type ProjectionGeneration } from '#features/projections/definition';
import { type Definitions } from '#registry';
import { foldOperations } from '#dataflow';
import { topLevelColumns } from '#json-schema';
import { createHash } from 'node:crypto';
import type { AnalystViews, EventTypeView, ProjectionView } from './clickhouse/analyst-sql.js';
import { eventsView } from './clickhouse/view-statements.js';

type Defined = Pick<Definitions, 'schemas' | 'projections' | 'stream'>;

/**
 * A ClickHouse view for analysts, of one event type or of one projection, with the names of the streams whose events it
 * contains.
 */
interface AnalystView extends ViewToName {
  readonly streams: readonly string[];
  /** The event type of the view; undefined for a projection. */
  readonly eventType?: Omit<EventTypeView, 'view'>;
  /** The generation that serves the projection; undefined for an event type. */
  readonly generation?: ProjectionGeneration;
}

/** Returns all views for the current definitions. */
export function analystViews(definitions: Defined): AnalystViews {
  const views = [...viewsOf(definitions)];
  return {
    eventTypes: views.flatMap(([view, { eventType }]) => (eventType ? [{ view, ...eventType }] : [])),
    projections: views.flatMap(([view, { generation }]) =>
      generation ? [{ view, generation: generation.id, fields: fieldsOf(generation) }] : [],
    ),
  };
}

/** Returns the fields of a generation with the types of their results. */
export function fieldsOf({ spec }: ProjectionGeneration): ProjectionView['fields'] {
  return Object.entries(spec.fields).map(([name, { op }]) => ({
    name,
    type: foldOperations[op]?.resultType ?? 'value',
  }));
}

/** Returns the views that a key may query, and the generation of each of them that is a projection's. */
export function permittedViews(
  definitions: Defined,
  access: StreamAccess,
): { views: string[]; generations: Map<string, ProjectionGeneration> } {
  const permitted = [...viewsOf(definitions)].filter(([, { streams }]) =>
    streams.every((stream) => permitsStream(access, stream)),
  );
  return {
    views: [eventsView, ...permitted.map(([view]) => view)],
    generations: new Map(
      permitted.flatMap(([view, { generation }]) => (generation ? [[view, generation] as const] : [])),
    ),
  };
}

/** Returns the views by name. Views of event types and of projections share one set of names. */
function viewsOf(definitions: Defined): Map<string, AnalystView> {
  const views: AnalystView[] = [];
  for (const { stream, event_type: eventType, versions, retired } of definitions.schemas.all()) {
    const definition = definitions.stream(stream);
    if (retired || definition?.state !== 'live') continue;
    const columns = topLevelColumns(versions.at(-1)?.schema);
    views.push({
      parts: [stream, eventType],
      createdAt: versions[0]?.created_at ?? '',
      streams: [stream],
      eventType: { stream: definition.id, eventType, columns },
    });
  }
  for (const definition of definitions.projections.all()) {
    const { name, created_at: createdAt, serving: generation } = definition;
    const streams = projectionStreams(definition);
    if (generation) views.push({ parts: [`projection_${name}`], createdAt, streams, generation });
  }
  return viewNames(views, [eventsView]);
}

/** An event type or a projection for which a ClickHouse view with a name is created. */
export interface ViewToName {
  /** The parts of the view's name: stream and event type, or the projection. */
  parts: readonly string[];
  /** Creation time (RFC 3339). If two views would have the same name, the older definition gets it. */
  createdAt: string;
}

/** Limit of a view's name, in characters. */
const mostCharacters = 120;

/**
 * Returns each definition by the name of its view. Names need no quotes in SQL: stream `orders` with type
 * `order.placed` becomes `orders__order_placed`. A name that is taken or too long ends in a hash of its parts.
 * @param reserved names that no view may get
 */
export function viewNames<T extends ViewToName>(
  all: readonly T[],
  reserved: readonly string[],
): Map<string, T> {
  const names = new Map<string, T>();
  const sorted = all.toSorted((a, b) => order(a.createdAt, b.createdAt) || order(keyOf(a), keyOf(b)));
  for (const named of sorted) {
    const plain = named.parts.map((part) => part.replaceAll(/[^A-Za-z0-9_]/g, '_')).join('__');
    const usable = plain.length <= mostCharacters && !/^\d/.test(plain);
    const free = usable && !names.has(plain) && !reserved.includes(plain);
    const hash = createHash('sha256').update(keyOf(named)).digest('hex').slice(0, 12);
    names.set(free ? plain : `t_${plain.slice(0, mostCharacters)}_${hash}`, named);
  }
  return names;
}

function keyOf({ parts }: ViewToName): string {
  return parts.join('\0');
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
