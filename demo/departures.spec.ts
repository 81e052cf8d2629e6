import { expect, it } from 'vitest';
import { departureEvent } from './departures.js';

it('a departure is an event of its origin airport, at the minute of its row', () => {
  const row = { date: '2001/03/31 22:27', delay: 16, distance: 83, origin: 'CLT', destination: 'GSO' };
  expect(departureEvent(row, 7, 'departures')).toMatchObject({
    entity_id: 'CLT',
    event_type: 'flight.delayed',
    timestamp: '2001-03-31T22:27:00.000Z',
    data: { delay: 16, distance: 83, origin: 'CLT', destination: 'GSO' },
  });
});
