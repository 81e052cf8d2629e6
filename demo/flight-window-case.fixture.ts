/** Windows over the delays of flights, as the definition of a pipeline and as a query over the stored events. */
interface FlightWindowCase {
  what: string;
  /** The `window` operator of the pipeline. */
  window: Record<string, unknown>;
  /**
   * Returns a query with rows of `airport, window_start, window_end, flights, delay, mean, least, most`, by airport
   * and start.
   */
  sql: (stream: string) => string;
}

const gapHours = 6;
const delay = "JSONExtractInt(data, 'delay')";
const statistics = `count(), sum(${delay}), avg(${delay}), min(${delay}), max(${delay})`;

const value = 'event.data.delay';
/** The fields of the pipeline's `reduce`. */
export const delayFields = {
  flights: { op: 'count' },
  delay: { op: 'sum', value },
  mean: { op: 'avg', value },
  least: { op: 'min', value },
  most: { op: 'max', value },
} as const;

export const flightWindows: readonly FlightWindowCase[] = [
  { what: 'each hour', window: { tumbling: '1h' }, sql: (stream) => hours(stream, 1) },
  {
    ...{ what: 'each three hours, every hour', window: { hopping: { size: '3h', every: '1h' } } },
    sql: (stream) => hours(stream, 3),
  },
  { what: 'each session', window: { session: `${gapHours}h` }, sql: sessions },
];

/** Each event belongs to the windows of this size that begin in the hours before its time. */
function hours(stream: string, size: number): string {
  return `
    SELECT entity_id, ${formatted('start')}, ${formatted(`start + INTERVAL ${size} HOUR`)}, ${statistics}
    FROM (
      SELECT entity_id, data,
             arrayJoin(arrayMap(back -> toStartOfHour(timestamp) - toIntervalHour(back), range(${size}))) AS start
      FROM ${flightsOf(stream)}
    )
    GROUP BY entity_id, start ORDER BY entity_id, start`;
}

/** A session begins with an event whose distance to the previous one is greater than the gap. */
function sessions(stream: string): string {
  return `
    SELECT entity_id, ${formatted('min(timestamp)')},
           ${formatted(`max(timestamp) + INTERVAL ${gapHours} HOUR`)}, ${statistics}
    FROM (
      SELECT entity_id, timestamp, data,
             sum(begins) OVER (PARTITION BY entity_id ORDER BY timestamp) AS session
      FROM (
        SELECT entity_id, timestamp, data,
               timestamp > before + INTERVAL ${gapHours} HOUR AS begins
        FROM (
          SELECT entity_id, timestamp, data,
                 lagInFrame(timestamp, 1, toDateTime64('1970-01-01 00:00:00', 6, 'UTC'))
                   OVER (PARTITION BY entity_id ORDER BY timestamp
                         ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS before
          FROM ${flightsOf(stream)}
        )
      )
    )
    GROUP BY entity_id, session ORDER BY entity_id, min(timestamp)`;
}

function flightsOf(stream: string): string {
  return `events FINAL WHERE startsWith(stream, '${stream}#') AND event_type LIKE 'flight.%'`;
}

/** Formats a time like the API; all times are whole minutes. */
function formatted(time: string): string {
  return `formatDateTime(${time}, '%Y-%m-%dT%H:%i:%S.000000Z', 'UTC')`;
}
