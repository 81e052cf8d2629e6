import type { StoredEvent } from '#client';
import { useOpenRow } from '../app/open-rows.js';
import { hrefOf } from '../app/router.js';
import { CopyButton } from './calls.js';
import { JsonLine, JsonTree } from './json-view.js';
import { DataTable, type Column } from './table.js';
import { Facts, Link, Text, Time } from './values.js';

const columns: readonly Column<StoredEvent>[] = [
  {
    name: 'Time (UTC)',
    class: 'nowrap',
    opensRow: true,
    cell: ({ timestamp }) => <Time value={timestamp} />,
  },
  { name: 'Type', class: 'type', cell: ({ event_type }) => <Text value={event_type} /> },
  { name: 'Entity', class: 'entity', cell: entityLink },
  { name: 'Version', isNumber: true, class: 'number digits', cell: ({ version }) => version ?? '–' },
  { name: 'Data', class: 'data', cell: ({ dataText }) => <JsonLine text={dataText} /> },
];

/** Events as rows; a row opens to its data. */
export function EventTable({ events, label }: { events: readonly StoredEvent[]; label: string }) {
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={events}
      keyOf={eventKey}
      detail={(event) => <EventDetail event={event} />}
    />
  );
}

/** Returns the key of an event in a list. */
export function eventKey({ stream, event_id }: StoredEvent): string {
  return `${stream} ${event_id}`;
}

function entityLink({ stream, entity_id: id }: StoredEvent) {
  if (id === null) return <span class="muted">–</span>;
  return <Link href={hrefOf(['entity'], { stream, id })} text={id} />;
}

/** All of an event. */
export function EventDetail({ event }: { event: StoredEvent }) {
  useOpenRow(eventKey(event));
  const facts = [
    ['Event id', event.event_id],
    ['Stream', event.stream],
    ['Type', event.event_type],
    ['Happened', event.timestamp],
    ['Written', event.ingested_at],
    ['Partition and offset', `${event.partition}:${event.offset}`],
    ['Schema version', event.schema_version === null ? '–' : String(event.schema_version)],
  ] as const;
  return (
    <div class="event-detail">
      <Facts of={facts.map(([name, value]) => [name, <Text value={value} />])} />
      <div>
        <h2 class="detail-title">
          Data <CopyButton text={event.dataText} label="Copy data" />
        </h2>
        <JsonTree text={event.dataText} />
        {event.metadataText && event.metadataText !== '{}' && (
          <>
            <h2 class="detail-title">Metadata</h2>
            <JsonTree text={event.metadataText} />
          </>
        )}
      </div>
    </div>
  );
}
