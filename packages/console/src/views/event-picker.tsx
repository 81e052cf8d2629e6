import type { EventFilter, StoredEvent } from '#client';
import { usePages } from '../app/resource.js';
import { client } from '../app/session.js';
import { JsonLine } from '../parts/json-view.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text, Time } from '../parts/values.js';

/** Events by their ids. */
export type PickedEvents = ReadonlyMap<string, StoredEvent>;

interface EventPickerProps {
  filter: EventFilter;
  picked: PickedEvents;
  onPick: (picked: PickedEvents) => void;
  most: number;
}

const columns = [
  { name: 'Pick' },
  { name: 'Time (UTC)' },
  { name: 'Stream' },
  { name: 'Type' },
  { name: 'Entity' },
  { name: 'Data' },
];

/** The latest events of a filter, each with a box to pick it. */
export function EventPicker({ filter, picked, onPick, most }: EventPickerProps) {
  const events = usePages(
    (cursor) => client.value.events({ ...filter, order: 'desc', limit: 20, cursor }),
    [filter],
  );
  const toggle = (event: StoredEvent) => {
    const next = new Map(picked);
    if (!next.delete(event.event_id)) next.set(event.event_id, event);
    onPick(next);
  };
  return (
    <Listed of={events} empty={<Empty title="There are no events to pick." />}>
      {(items) => (
        <Table label="Events to pick" columns={columns}>
          {items.map((event) => (
            <tr key={event.event_id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Pick the event of ${event.timestamp}`}
                  checked={picked.has(event.event_id)}
                  disabled={picked.size >= most && !picked.has(event.event_id)}
                  onChange={() => toggle(event)}
                />
              </td>
              <td class="nowrap">
                <Time value={event.timestamp} />
              </td>
              <td>
                <Text value={event.stream} />
              </td>
              <td class="type">
                <Text value={event.event_type} />
              </td>
              <td class="entity">{event.entity_id === null ? '–' : <Text value={event.entity_id} />}</td>
              <td class="data">
                <JsonLine text={event.dataText} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Listed>
  );
}
