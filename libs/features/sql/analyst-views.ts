import { permitsStream, type StreamAccess } from '#api';
import {
  projectionStreams,
  type Definitions,
  type ProjectionDefinition,
  type ProjectionGeneration,
  type SchemaSubject,
} from '#registry';
import { foldOperations } from '#dataflow';
import { topLevelColumns } from '#json-schema';
import type { AnalystViews, EventTypeView, ProjectionView } from '#store';
import { viewNames, type ViewToName } from './view-names.js';

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

/** Name of the view of all events. */
const eventsView = 'events';

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
  const { schemas, projections } = definitions;
  const viewed = [
    ...schemas.all().flatMap((subject) => ofEventType(subject, definitions)),
    ...projections.all().flatMap(ofProjection),
  ];
  return viewNames(viewed, [eventsView]);
}

function ofEventType(subject: SchemaSubject, definitions: Defined): AnalystView[] {
  const { stream, event_type: eventType, versions } = subject;
  const definition = definitions.stream(stream);
  if (subject.retired || definition?.state !== 'live') return [];
  const columns = topLevelColumns(versions.at(-1)?.schema);
  return [
    {
      parts: [stream, eventType],
      createdAt: versions[0]?.created_at ?? '',
      streams: [stream],
      eventType: { stream: definition.id, eventType, columns },
    },
  ];
}

function ofProjection(definition: ProjectionDefinition): AnalystView[] {
  const { name, created_at: createdAt, serving } = definition;
  if (!serving) return [];
  return [
    { parts: [`projection_${name}`], createdAt, streams: projectionStreams(definition), generation: serving },
  ];
}
