import { describe, expect, it } from 'vitest';
import { flightEvent } from './flights.js';

describe('a flight as an event', () => {
  const flight = { delay: 171, distance: 2227, time: 23.983333333333334 };

  it('has the time of its minute on the assumed day', () => {
    expect(flightEvent(flight, 0, 'flights').timestamp).toBe('2001-01-01T23:59:00.000Z');
    expect(flightEvent({ ...flight, time: 0.016666666666666666 }, 0, 'flights').timestamp).toBe(
      '2001-01-01T00:01:00.000Z',
    );
  });

  it('is delayed if it is more than 15 minutes late, and on time at 15', () => {
    const typeOf = (delay: number) => flightEvent({ ...flight, delay }, 0, 'flights').event_type;
    expect([-11, 15, 16].map(typeOf)).toEqual(['flight.on_time', 'flight.on_time', 'flight.delayed']);
  });

  it('has the route of its length as its entity', () => {
    expect(flightEvent(flight, 0, 'flights').entity_id).toBe('route-2227mi');
  });

  it('differs from an equal row by its index in the file', () => {
    expect(flightEvent(flight, 1, 'flights').event_id).not.toBe(flightEvent(flight, 2, 'flights').event_id);
    expect(flightEvent(flight, 1, 'flights').event_id).toBe(flightEvent(flight, 1, 'flights').event_id);
  });
});
