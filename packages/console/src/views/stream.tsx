import { useState } from 'preact/hooks';
import type { ExportFormat } from '#client';
import { download } from '../app/download.js';
import { useAction, usePages, useResource } from '../app/resource.js';
import { hrefOf, parameter, parameters } from '../app/router.js';
import { client } from '../app/session.js';
import { useTimeRange } from '../app/time-range.js';
import { tributary, type Call } from '../logic/shell.js';
import { bytes, duration, grouped } from '../logic/format.js';
import { requestTimes, type TimeBounds } from '../logic/time-range.js';
import { EventTable, eventKey } from '../parts/event-table.js';
import { Button, LiveToggle, Select } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { RangeBar } from '../parts/range-bar.js';
import { Listed, Loaded, Problem } from '../parts/states.js';
import { Ago, Count, Facts } from '../parts/values.js';
import { whereError } from '../parts/where-editor.js';
import { Filters } from './stream-filters.js';
import { HistogramPanel, type StreamFilter } from './stream-histogram.js';
import { LiveTail } from './live-tail.js';
import { StreamActions } from './stream-changes.js';
import { retentionText } from './streams.js';
import { WriteEvent } from './write-event.js';

const noRows = { items: [], hasMore: false };
const pageSize = 50;

/** Reads the filter of a view from its URL. */
function filterOf(stream: string): StreamFilter {
  return {
    stream,
    event_type: parameters('type'),
    event_type_prefix: parameter('prefix'),
    entity_id: parameters('entity'),
    where: parameter('where'),
  };
}

/** One stream: its events over time, filtered, as a table or as they arrive. */
export function StreamView({ stream }: { stream: string }) {
  const filter = filterOf(stream);
  const isLive = parameter('live') !== undefined;
  const order = parameter('order') === 'asc' ? 'asc' : 'desc';
  const times = useTimeRange();
  const { range, bounds, asOf, isValid } = times;
  const selected = { ...filter, ...bounds };
  const detail = useResource((signal) => client.value.streams.get(stream, { signal }), [stream], { asOf });
  const events = usePages(
    (cursor, limit = pageSize) => client.value.events({ ...selected, order, limit, cursor }),
    [filter, range, order],
    { skip: isLive || !isValid, asOf, keyOf: eventKey },
  );
  const { event_type, event_type_prefix, entity_id, where } = filter;
  const options = { type: event_type, 'type-prefix': event_type_prefix, entity: entity_id, where };
  const tail: Call = ['/api/v1/events/stream', filter, tributary('tail', [stream], options)];
  const inRange = requestTimes(range, asOf);
  const page = { order, limit: pageSize };
  const queryCommand = tributary('query', [stream], { ...options, ...inRange, ...page });
  const query: Call = ['/api/v1/events/query', { ...filter, ...inRange, ...page }, queryCommand];
  const countCommand = tributary('count', [stream], { ...options, ...inRange, by: 'event_type' });
  const counted = { ...filter, ...inRange, group_by: 'event_type' };
  const count: Call = ['/api/v1/events/count', counted, countCommand];
  const error = whereError(events.error);
  const isInternal = stream.startsWith('tributary.');
  return (
    <Page
      title={stream}
      calls={[isLive ? tail : query, count]}
      actions={
        <>
          <ExportMenu filter={selected} isValid={isValid} />
          <LiveToggle name="Live tail" />
          {detail.data && !isInternal && <StreamActions stream={detail.data} onChange={detail.reload} />}
        </>
      }
    >
      <Loaded of={detail}>
        {(one) => (
          <Facts
            isRow
            of={[
              ['Events', grouped(one.events)],
              ['Size', one.bytes === null ? '–' : bytes(one.bytes)],
              ['Lag', one.lag === null ? '–' : <Count value={one.lag} />],
              ['First event', <Ago value={one.first_timestamp} />],
              ['Last event', <Ago value={one.last_timestamp} />],
              ['Retention', retentionText(one.retention)],
              ['Partitions', one.partitions],
              ['Id window', one.id_window_seconds === null ? '–' : duration(one.id_window_seconds)],
              ['Snapshot every', one.snapshot_every === 0 ? 'never' : `${one.snapshot_every} versions`],
            ]}
          />
        )}
      </Loaded>
      {detail.data && !isInternal && <WriteEvent stream={stream} times={times} onWritten={times.reload} />}
      {!isLive && <RangeBar times={times} />}
      <Filters filter={filter} times={times} error={error} />
      {!isLive && isValid && (
        <HistogramPanel
          filter={filter}
          times={times}
          skip={events.error !== undefined || detail.data === undefined}
        />
      )}
      {isLive ? (
        <LiveTail filter={filter} key={JSON.stringify(filter)} />
      ) : (
        isValid && (
          <Listed
            of={error ? { ...events, error: undefined, data: noRows } : events}
            empty={error ? 'The condition is not valid.' : 'No event matches.'}
            hint={!error && <a href={hrefOf(['streams', stream])}>Remove the filters and the range</a>}
          >
            {(items) => <EventTable events={items} label="Events" />}
          </Listed>
        )
      )}
    </Page>
  );
}

const formats: readonly [ExportFormat, string][] = [
  ['ndjson', 'NDJSON'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
  ['arrow', 'Arrow'],
];

/** Exports everything that the filters select. */
function ExportMenu({ filter, isValid }: { filter: StreamFilter & TimeBounds; isValid: boolean }) {
  const [format, setFormat] = useState<ExportFormat>('ndjson');
  const action = useAction(() => exportEvents(filter, format));
  return (
    <span class="export">
      <Select
        name="Format of the export"
        isHidden
        value={format}
        options={formats}
        onSelect={(format) => setFormat(format as ExportFormat)}
      />
      <Button action={action} disabled={!isValid || action.running}>
        {action.running ? 'Exporting…' : 'Export'}
      </Button>
      <Problem error={action.error} />
    </span>
  );
}

async function exportEvents(filter: StreamFilter & TimeBounds, format: ExportFormat): Promise<void> {
  const body = await client.value.export({ ...filter, format, ...(format === 'csv' && { csv_safe: true }) });
  await download(body, `${filter.stream}.${format}`, 'tributary export');
}
