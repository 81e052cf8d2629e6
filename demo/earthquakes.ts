import type { DemoEvent } from './event.js';
import { eventIdOf } from './event-id.js';

/** A feature of the USGS feed (GeoJSON), as far as it is used here. */
export interface EarthquakeFeature {
  /** Such as `ci37868143`: the network and the number that it gave. */
  id: string;
  properties: {
    mag: number;
    magType: string | null;
    place: string;
    /** Milliseconds since 1970. */
    time: number;
    /** `earthquake`, `quarry blast`, `explosion` … */
    type: string;
    /** The seismic network that reported it. */
    net: string;
    status: string;
    felt: number | null;
    tsunami: number;
    url: string;
  };
  geometry: { coordinates: [longitude: number, latitude: number, depthKm: number] };
}

/** One event for each earthquake: it happened at its own time, and its entity is the network that reported it. */
export function earthquakeEvent(feature: EarthquakeFeature, stream: string): DemoEvent {
  const { properties, geometry } = feature;
  const [longitude, latitude, depthKm] = geometry.coordinates;
  return {
    event_id: eventIdOf(`${stream}/${feature.id}`),
    stream,
    event_type: `${properties.type.replaceAll(' ', '_')}.detected`,
    entity_id: `network-${properties.net}`,
    timestamp: new Date(properties.time).toISOString(),
    data: {
      id: feature.id,
      magnitude: properties.mag,
      magnitude_type: properties.magType,
      place: properties.place,
      longitude,
      latitude,
      depth_km: depthKm,
      felt: properties.felt,
      tsunami: properties.tsunami === 1,
      status: properties.status,
    },
    metadata: { source: 'vega-datasets/earthquakes.json', url: properties.url },
  };
}
