import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { departureEvent, type DepartureRow } from './departures.js';
import { earthquakeEvent, type EarthquakeFeature } from './earthquakes.js';
import type { Dataset } from './event.js';
import { assumedDay, flightEvent, type FlightRow } from './flights.js';

/** Maximum number of events of each dataset, and the prefix of the names of the streams that they are loaded to. */
interface DatasetOptions {
  /** The prefix of the streams' names. */
  prefix: string;
  /** The maximum number of events of each dataset. */
  limit: number;
}

/** Reads the public data in the installed npm package `vega-datasets`. */
export async function readDatasets(
  options: DatasetOptions,
): Promise<{ earthquakes: Dataset; flights: Dataset; departures: Dataset }> {
  const earthquakes = await readData<{ features: EarthquakeFeature[] }>('earthquakes.json');
  const flights = await readData<FlightRow[]>('flights-200k.json');
  const departures = await readData<DepartureRow[]>('flights-20k.json');
  const quakeStream = `${options.prefix}earthquakes`;
  const flightStream = `${options.prefix}flights`;
  const departureStream = `${options.prefix}departures`;
  return {
    earthquakes: {
      stream: quakeStream,
      about: 'a week of the U.S. Geological Survey’s feed, by the network that reported each',
      events: earthquakes.features
        .slice(0, options.limit)
        .map((feature) => earthquakeEvent(feature, quakeStream)),
    },
    flights: {
      stream: flightStream,
      about: `delays of U.S. flights, by route; the rows have no date, all are put on ${assumedDay}`,
      events: flights.slice(0, options.limit).map((row, index) => flightEvent(row, index, flightStream)),
    },
    departures: {
      stream: departureStream,
      about: 'U.S. flights of January to March 2001, by the airport that they left',
      events: departures
        .slice(0, options.limit)
        .map((row, index) => departureEvent(row, index, departureStream)),
    },
  };
}

async function readData<T>(name: string): Promise<T> {
  const file = new URL(`../data/${name}`, import.meta.resolve('vega-datasets'));
  return JSON.parse(await readFile(fileURLToPath(file), 'utf8')) as T;
}
