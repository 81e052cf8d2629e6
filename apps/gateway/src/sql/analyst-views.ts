import { permitsStream, type StreamAccess } from '#api';
import {
  projectionStreams,
  type Definitions,
  type ProjectionDefinition,
  type SchemaSubject,
} from '#registry';
import { topLevelColumns } from '#schemas';
import type { AnalystViews, EventTypeView, ProjectionView } from '#store';
import { viewNames } from './view-names.js';

type Defined = Pick<Definitions, 'schemas' | 'projections' | 'stream'>;
type EventTypes = { view: EventTypeView; stream: string }[];

/** The view of all events. */
const eventsView = 'events';

/** All views, as the definitions are now. */
export function analystViews(definitions: Defined): AnalystViews {
  return {
    eventTypes: eventTypeViews(definitions).map(({ view }) => view),
    projections: projectionViews(definitions).map(({ view }) => view),
  };
}

/** The views that a key may name, and the generations of projections that it may see. */
export function permittedViews(
  definitions: Defined,
  access: StreamAccess,
): { views: string[]; builds: string[] } {
  const eventTypes = eventTypeViews(definitions).filter(({ stream }) => permitsStream(access, stream));
  const projections = projectionViews(definitions).filter(({ definition }) =>
    projectionStreams(definition).every((stream) => permitsStream(access, stream)),
  );
  return {
    views: [eventsView, ...[...eventTypes, ...projections].map(({ view }) => view.view)],
    builds: projections.map(({ view }) => view.build),
  };
}

function eventTypeViews(definitions: Defined): EventTypes {
  const named = definitions.schemas.all().flatMap((subject) => {
    const definition = definitions.stream(subject.stream);
    if (subject.retired || definition?.state !== 'live') return [];
    const parts = [subject.stream, subject.event_type];
    return [{ subject, id: definition.id, parts, createdAt: subject.versions[0]?.created_at ?? '' }];
  });
  return [...viewNames(named, [eventsView])].map(([view, { subject, id }]) => ({
    view: eventTypeView(view, id, subject),
    stream: subject.stream,
  }));
}

function eventTypeView(view: string, stream: string, { event_type, versions }: SchemaSubject): EventTypeView {
  return { view, stream, eventType: event_type, columns: topLevelColumns(versions.at(-1)?.schema) };
}

function projectionViews({
  projections,
}: Defined): { view: ProjectionView; definition: ProjectionDefinition }[] {
  const named = projections.all().flatMap((definition) => {
    const { name, created_at: createdAt, serving } = definition;
    return serving ? [{ definition, build: serving.id, parts: [`projection_${name}`], createdAt }] : [];
  });
  return [...viewNames(named, [eventsView])].map(([view, { definition, build }]) => ({
    view: { view, build },
    definition,
  }));
}
