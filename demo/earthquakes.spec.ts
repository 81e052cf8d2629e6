import { describe, expect, it } from 'vitest';
import { earthquakeEvent, type EarthquakeFeature } from './earthquakes.js';

const castaic: EarthquakeFeature = {
  id: 'ci37868143',
  properties: {
    mag: 2,
    magType: 'ml',
    place: '4km W of Castaic, CA',
    time: 1517966773840,
    type: 'earthquake',
    net: 'ci',
    status: 'automatic',
    felt: null,
    tsunami: 0,
    url: 'https://earthquake.usgs.gov/earthquakes/eventpage/ci37868143',
  },
  geometry: { coordinates: [-118.6671667, 34.4945, 26.49] },
};

describe('an earthquake as an event', () => {
  it('has the time of the earthquake, not of the load', () => {
    expect(earthquakeEvent(castaic, 'earthquakes').timestamp).toBe('2018-02-07T01:26:13.840Z');
  });

  it('has the reporting network as its entity', () => {
    expect(earthquakeEvent(castaic, 'earthquakes').entity_id).toBe('network-ci');
  });

  it('keeps magnitude, place and coordinates unchanged', () => {
    expect(earthquakeEvent(castaic, 'earthquakes').data).toMatchObject({
      id: 'ci37868143',
      magnitude: 2,
      place: '4km W of Castaic, CA',
      longitude: -118.6671667,
      latitude: 34.4945,
      depth_km: 26.49,
    });
  });

  it('has the kind of earthquake in its type', () => {
    const blast = { ...castaic, properties: { ...castaic.properties, type: 'quarry blast' } };
    expect(earthquakeEvent(castaic, 'earthquakes').event_type).toBe('earthquake.detected');
    expect(earthquakeEvent(blast, 'earthquakes').event_type).toBe('quarry_blast.detected');
  });

  it('has another id in every stream', () => {
    const ids = ['earthquakes', 'copy.earthquakes'].map(
      (stream) => earthquakeEvent(castaic, stream).event_id,
    );
    expect(new Set(ids).size).toBe(2);
  });
});
