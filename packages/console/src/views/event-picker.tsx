import type { EventFilter, StoredEvent } from '#client';
import { usePages } from '../app/resource.js';
import { client } from '../app/session.js';
import { JsonLine } from '../parts/json-view.js';
import { Empty, Listed } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { Text, Time } from '../parts/values.js';

/** Events by their ids. */
export type PickedEvents = ReadonlyMap<string, StoredEvent>;

interface EventPickerProps {
  filter: EventFilter;
  picked: PickedEvents;
  onPick: (picked: PickedEvents) => void;
  most: number;
}

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
  const columns: readonly Column<StoredEvent>[] = [
    {
      name: 'Pick',
      cell: (event) => (
        <input
          type="checkbox"
          aria-label={`Pick the event of ${event.timestamp}`}
          checked={picked.has(event.event_id)}
          disabled={picked.size >= most && !picked.has(event.event_id)}
          onChange={() => toggle(event)}
        />
      ),
    },
    { name: 'Time (UTC)', class: 'nowrap', cell: ({ timestamp }) => <Time value={timestamp} /> },
    { name: 'Stream', cell: ({ stream }) => <Text value={stream} /> },
    { name: 'Type', class: 'type', cell: ({ event_type }) => <Text value={event_type} /> },
    {
      name: 'Entity',
      class: 'entity',
      cell: ({ entity_id: id }) => (id === null ? '–' : <Text value={id} />),
    },
    { name: 'Data', class: 'data', cell: ({ dataText }) => <JsonLine text={dataText} /> },
  ];
  return (
    <Listed of={events} empty={<Empty title="There are no events to pick." />}>
      {(items) => (
        <DataTable label="Events to pick" columns={columns} rows={items} keyOf={({ event_id }) => event_id} />
      )}
    </Listed>
  );
}
