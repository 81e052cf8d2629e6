import type { DemoEvent } from './event.js';
import { eventIdOf } from './event-id.js';

/** The used members of a feature in the USGS feed (GeoJSON). */
export interface EarthquakeFeature {
  /** Id of the earthquake, such as `ci37868143`: the network and its number. */
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

/**
 * Returns one event for each earthquake. The time of the event is that of the earthquake, and the entity is the
 * reporting network.
 */
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
