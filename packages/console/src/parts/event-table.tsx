import { useState } from 'preact/hooks';
import type { StoredEvent } from '#client';
import { hrefOf } from '../app/router.js';
import { CopyButton } from './calls.js';
import { JsonLine, JsonTree } from './json-view.js';
import { Table } from './table.js';
import { Text, Time } from './values.js';

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
        <EventRow key={`${event.stream} ${event.event_id}`} event={event} />
      ))}
    </Table>
  );
}

function EventRow({ event }: { event: StoredEvent }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr class={open ? 'open' : undefined}>
        <td class="nowrap">
          <button type="button" class="expand" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span class="caret" aria-hidden="true" />
            <Time value={event.timestamp} />
          </button>
        </td>
        <td class="type">
          <Text value={event.event_type} />
        </td>
        <td class="entity">
          {event.entity_id === null ? (
            <span class="muted">–</span>
          ) : (
            <a href={hrefOf(['entity'], { stream: event.stream, id: event.entity_id })}>
              <Text value={event.entity_id} />
            </a>
          )}
        </td>
        <td class="number digits">{event.version ?? '–'}</td>
        <td class="data">
          <JsonLine text={event.dataText} />
        </td>
      </tr>
      {open && (
        <tr class="detail">
          <td colSpan={columns.length}>
            <EventDetail event={event} />
          </td>
        </tr>
      )}
    </>
  );
}

/** All of an event. */
export function EventDetail({ event }: { event: StoredEvent }) {
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
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Text value={value} />
            </dd>
          </div>
        ))}
      </dl>
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
