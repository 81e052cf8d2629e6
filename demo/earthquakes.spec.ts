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
  it('happened when the earth shook, not when it is loaded', () => {
    expect(earthquakeEvent(castaic, 'earthquakes').timestamp).toBe('2018-02-07T01:26:13.840Z');
  });

  it('belongs to the network that reported it', () => {
    expect(earthquakeEvent(castaic, 'earthquakes').entity_id).toBe('network-ci');
  });

  it('keeps magnitude, place and coordinates as they were given', () => {
    expect(earthquakeEvent(castaic, 'earthquakes').data).toMatchObject({
      id: 'ci37868143',
      magnitude: 2,
      place: '4km W of Castaic, CA',
      longitude: -118.6671667,
      latitude: 34.4945,
      depth_km: 26.49,
    });
  });

  it('says what kind of shaking it was in its type', () => {
    const blast = { ...castaic, properties: { ...castaic.properties, type: 'quarry blast' } };
    expect(earthquakeEvent(castaic, 'earthquakes').event_type).toBe('earthquake.detected');
    expect(earthquakeEvent(blast, 'earthquakes').event_type).toBe('quarry_blast.detected');
  });

  it('has an id of its own in every stream', () => {
    const ids = ['earthquakes', 'copy.earthquakes'].map(
      (stream) => earthquakeEvent(castaic, stream).event_id,
    );
    expect(new Set(ids).size).toBe(2);
  });
});
