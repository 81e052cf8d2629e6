import type { StoredEvent } from '#client';
import { hrefOf } from '../app/router.js';
import { CopyButton } from './calls.js';
import { Facts } from './facts.js';
import { JsonLine, JsonTree } from './json-view.js';
import { ExpandableRow, Table } from './table.js';
import { Link, Text } from './values.js';

const columns = [
  { name: 'Time (UTC)' },
  { name: 'Type' },
  { name: 'Entity' },
  { name: 'Version', isNumber: true },
  { name: 'Data' },
];

/** Events as rows; a row opens to its data. */
export function EventTable({ events, label }: { events: readonly StoredEvent[]; label: string }) {
  return (
    <Table label={label} columns={columns}>
      {events.map((event) => (
        <ExpandableRow
          key={`${event.stream} ${event.event_id}`}
          time={event.timestamp}
          columnCount={columns.length}
          detail={<EventDetail event={event} />}
        >
          <td class="type">
            <Text value={event.event_type} />
          </td>
          <td class="entity">
            {event.entity_id === null ? (
              <span class="muted">–</span>
            ) : (
              <Link
                href={hrefOf(['entity'], { stream: event.stream, id: event.entity_id })}
                text={event.entity_id}
              />
            )}
          </td>
          <td class="number digits">{event.version ?? '–'}</td>
          <td class="data">
            <JsonLine text={event.dataText} />
          </td>
        </ExpandableRow>
      ))}
    </Table>
  );
}

/** All of an event. */
function EventDetail({ event }: { event: StoredEvent }) {
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
        <h3>
          Data <CopyButton text={event.dataText} label="Copy data" />
        </h3>
        <JsonTree text={event.dataText} />
        {event.metadataText && event.metadataText !== '{}' && (
          <>
            <h3>Metadata</h3>
            <JsonTree text={event.metadataText} />
          </>
        )}
      </div>
    </div>
  );
}
