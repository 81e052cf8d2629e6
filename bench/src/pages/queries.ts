import { randomFrom } from '../workload.js';
import {
  eventsPerEntity,
  flightsFrom,
  flightsUntil,
  madeEveryMs,
  madeFrom,
  madeStreams,
  madeTypes,
  type DatasetComposition,
} from './dataset.js';

/** The three kinds of pages in the performance goals. */
export const pageKinds = ['stream + time', 'type + time', 'entity'] as const;
/** By what a page of events is selected. */
export type PageSelectionKind = (typeof pageKinds)[number];

/** Returns paths of pages of 100 at random positions of the data set; the same ones for the same seed. */
export function pagePaths(
  kind: PageSelectionKind,
  size: DatasetComposition,
  options: { count: number; seed: number },
): string[] {
  const random = randomFrom(options.seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const madeTime = () => new Date(madeFrom + random() * 0.99 * size.made * madeEveryMs).toISOString();
  const flightTime = () => {
    const covered = (flightsUntil - flightsFrom) * (size.flights / 3_000_000);
    return new Date(flightsFrom + random() * 0.99 * covered).toISOString();
  };
  const isFlight = () => random() < size.flights / (size.made + size.flights);
  const filterOf = (): Record<string, string> => {
    if (kind === 'entity') return { entity_id: `entity-${below(size.made / eventsPerEntity)}` };
    if (isFlight()) return { stream: 'flights', ...flightType(kind, below), since: flightTime() };
    if (kind === 'type + time') return { event_type: `type-${below(madeTypes)}`, since: madeTime() };
    return { stream: `pages-${below(madeStreams)}`, since: madeTime() };
  };
  return Array.from({ length: options.count }, () => {
    const query = new URLSearchParams({ ...filterOf(), limit: '100' });
    return `/api/v1/events/query?${query.toString()}`;
  });
}

function flightType(kind: PageSelectionKind, below: (limit: number) => number): Record<string, string> {
  if (kind !== 'type + time') return {};
  return { event_type: below(2) === 0 ? 'flight.delayed' : 'flight.on_time' };
}
