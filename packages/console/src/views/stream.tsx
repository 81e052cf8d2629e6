import { useState } from 'preact/hooks';
import type { EventFilter, ExportFormat } from '#client';
import { useAction, usePages, useResource } from '../app/resource.js';
import { hrefOf, navigate, place, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { all, one } from '../logic/url-state.js';
import { bytes, duration, grouped } from '../logic/format.js';
import { EventTable } from '../parts/event-table.js';
import { Confirm } from '../parts/confirm.js';
import { Facts } from '../parts/facts.js';
import { Labelled, Toggle } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { Problem } from '../parts/problem.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import { Ago, Count, Text } from '../parts/values.js';
import { whereError } from '../parts/where-editor.js';
import { Filters } from './stream-filters.js';
import { HistogramPanel } from './stream-histogram.js';
import { LiveTail } from './live-tail.js';
import { retentionText } from './streams.js';

const noRows = { items: [], hasMore: false };

/** Reads the filter of a view from its URL. */
function filterOf(stream: string): EventFilter & { stream: string } {
  const now = place.value;
  return {
    stream,
    event_type: all(now, 'type'),
    event_type_prefix: one(now, 'prefix'),
    entity_id: all(now, 'entity'),
    since: one(now, 'since'),
    until: one(now, 'until'),
    where: one(now, 'where'),
  };
}

/** One stream: its events over time, filtered, as a table or as they arrive. */
export function StreamView({ stream }: { stream: string }) {
  const filter = filterOf(stream);
  const isLive = one(place.value, 'live') !== undefined;
  const order = one(place.value, 'order') === 'asc' ? 'asc' : 'desc';
  const detail = useResource((signal) => client.value.streams.get(stream, { signal }), [stream], {
    everyMs: 15_000,
  });
  const events = usePages(
    (cursor) => client.value.events({ ...filter, order, limit: 50, cursor }),
    [filter, order],
    { skip: isLive },
  );
  const { event_type, event_type_prefix, entity_id, since, until, where } = filter;
  const selection = { since, until, where };
  const options = { type: event_type, 'type-prefix': event_type_prefix, entity: entity_id, ...selection };
  const page = { order, limit: 50 };
  const tail = {
    path: '/api/v1/events/stream',
    query: filter,
    command: tributary('tail', [stream], options),
  };
  const query = {
    path: '/api/v1/events/query',
    query: { ...filter, ...page },
    command: tributary('query', [stream], { ...options, ...page }),
  };
  const count = {
    path: '/api/v1/events/count',
    query: { ...filter, group_by: 'event_type' },
    command: tributary('count', [stream], { ...options, by: 'event_type' }),
  };
  const error = whereError(events.error);
  return (
    <Page
      title={stream}
      heading={<Text value={stream} />}
      calls={[isLive ? tail : query, count]}
      actions={
        <>
          <ExportMenu filter={filter} stream={stream} />
          <Toggle pressed={isLive} onToggle={() => setQuery({ live: isLive ? undefined : true })}>
            {isLive ? 'Stop live tail' : 'Live tail'}
          </Toggle>
          {mayWrite.value && !stream.startsWith('tributary.') && <DeleteStream stream={stream} />}
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
      <Filters filter={filter} stream={stream} order={order} error={error} />
      {!isLive && (
        <HistogramPanel
          filter={filter}
          first={detail.data?.first_timestamp}
          skip={events.error !== undefined || detail.data === undefined}
        />
      )}
      {isLive ? (
        <LiveTail filter={filter} key={JSON.stringify(filter)} />
      ) : (
        <Listed
          of={error ? { ...events, error: undefined, data: events.data ?? noRows } : events}
          empty={
            <Empty title={error ? 'The condition is not valid.' : 'No event matches.'}>
              {!error && <a href={hrefOf(['streams', stream])}>Remove the filters</a>}
            </Empty>
          }
        >
          {(items) => <EventTable events={items} label="Events" />}
        </Listed>
      )}
    </Page>
  );
}

/** Exports everything that the filters select. */
function ExportMenu({ filter, stream }: { filter: EventFilter; stream: string }) {
  const [format, setFormat] = useState<ExportFormat>('ndjson');
  const action = useAction(() => exportEvents({ filter, format, stream }));
  return (
    <span class="export">
      <Labelled name="Format of the export">
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value as ExportFormat)}>
          <option value="ndjson">NDJSON</option>
          <option value="csv">CSV</option>
          <option value="parquet">Parquet</option>
          <option value="arrow">Arrow</option>
        </select>
      </Labelled>
      <button type="button" onClick={() => action.run()} disabled={action.running}>
        {action.running ? 'Exporting…' : 'Export'}
      </button>
      <Problem error={action.error} />
    </span>
  );
}

function DeleteStream({ stream }: { stream: string }) {
  const action = useAction(async () => {
    await client.value.streams.delete(stream, { confirm: stream });
    navigate(hrefOf(['streams']));
  });
  return (
    <Confirm label="Delete" title="Delete this stream" typed={stream} danger action={action}>
      <p>All events of the stream are removed. This cannot be undone.</p>
    </Confirm>
  );
}

interface Export {
  filter: EventFilter;
  format: ExportFormat;
  stream: string;
}

/** Exports larger than this are for the command line: the browser holds the file until it is saved. */
const mostBytes = 256 * 1024 * 1024;

/** Reads an export to its end and saves it. An incomplete export is an error and saves nothing. */
async function exportEvents({ filter, format, stream }: Export): Promise<void> {
  const body = await client.value.export({ ...filter, format, ...(format === 'csv' && { csv_safe: true }) });
  const pieces: BlobPart[] = [];
  let size = 0;
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > mostBytes) {
      await reader.cancel();
      throw new Error('The export has more than 256 MiB. Use the command line: tributary export.');
    }
    pieces.push(value as BlobPart);
  }
  save(new Blob(pieces), `${stream}.${format}`);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
