import { useState } from 'preact/hooks';
import type { ParkedEvent } from '#client';
import { useMay } from '../app/permissions.js';
import { useAction, usePages } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { grouped } from '../logic/format.js';
import { visibleText } from '../logic/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { EventDetail } from '../parts/event-table.js';
import { LongText } from '../parts/json-view.js';
import { Card } from '../parts/page.js';
import { Listed } from '../parts/states.js';
import { selectColumn } from '../parts/select-column.js';
import { DataTable, numberColumn, type Column } from '../parts/table.js';
import { Facts, Link, ShortText, Text, Time } from '../parts/values.js';

const columns: readonly Column<ParkedEvent>[] = [
  {
    name: 'Parked (UTC)',
    class: 'nowrap',
    opensRow: true,
    cell: ({ parked_at }) => <Time value={parked_at} />,
  },
  { name: 'Type', class: 'type', cell: ({ event }) => <Text value={event?.event_type ?? '–'} /> },
  { name: 'Entity', class: 'entity', cell: entityLink },
  { name: 'Reason', class: 'short-error', cell: ({ reason }) => <ShortText value={reason} /> },
  numberColumn('Attempts', ({ attempts }) => attempts),
  numberColumn('Blocked', ({ blocked }) => blocked),
];

function entityLink({ event }: ParkedEvent) {
  if (!event || event.entity_id === null) return <span class="muted">–</span>;
  const { stream, entity_id: id } = event;
  return <Link href={hrefOf(['entity'], { stream, id })} text={id} />;
}

interface ParkedEventsProps {
  name: string;
  /** The number of parked events: when it changes, the list is loaded again. */
  count: number;
  onChanged: () => Promise<void>;
}

/** The parked events of a subscription, and what becomes of the selected ones or of all. */
export function ParkedEvents({ name, count, onChanged }: ParkedEventsProps) {
  const parked = usePages(
    (cursor, limit) => client.value.subscription(name).parked({ cursor, limit: Math.min(limit ?? 50, 100) }),
    [name],
    { asOf: count },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState('');
  const mayChange = useMay('definitions:write');
  const ids = (parked.data?.items ?? []).map(({ id }) => id).filter((id) => chosen.has(id));
  const done = async (text: string) => {
    setChosen(new Set());
    setResult(text);
    await Promise.all([parked.reload(), onChanged()]);
  };
  return (
    <Card
      title="Parked events"
      beside={
        mayChange &&
        parked.data &&
        parked.data.items.length > 0 && (
          <span class="inline">
            {ids.length > 0 && <Changes name={name} which={ids} onDone={done} />}
            <Changes name={name} which="all" onDone={done} />
          </span>
        )
      }
    >
      <p role="status" class={result ? '' : 'sr'}>
        {result}
      </p>
      <Listed
        of={parked}
        empty="No event is parked."
        hint="An event is parked when no attempt is left, or when a worker asks for it."
      >
        {(items) => (
          <DataTable
            label="List of parked events"
            columns={mayChange ? [selectColumn<ParkedEvent>(chosen, setChosen), ...columns] : columns}
            rows={items}
            keyOf={({ id }) => id}
            detail={(row) => <Detail of={row} />}
          />
        )}
      </Listed>
    </Card>
  );
}

function Detail({ of: { id, reason, event } }: { of: ParkedEvent }) {
  return (
    <>
      <Facts
        of={[
          ['Id', <Text value={id} />],
          ['Reason', <LongText text={visibleText(reason)} />],
        ]}
      />
      {event ? <EventDetail event={event} /> : <p>The event was erased, or its stream was deleted.</p>}
    </>
  );
}

/** Ids of one request. */
const idsAtOnce = 1_000;

interface ChangesProps {
  name: string;
  /** The ids of parked events, or all of the subscription. */
  which: readonly string[] | 'all';
  /** Is called with what happened. Resolves when it is shown. */
  onDone: (text: string) => Promise<void>;
}

/** Replays or discards parked events, after it has said what that does. */
function Changes({ name, which, onDone }: ChangesProps) {
  const change = async (action: 'replay' | 'discard') => {
    const subscription = client.value.subscription(name);
    const ids = which === 'all' ? undefined : which;
    let count = 0;
    for (let at = 0; at < (ids?.length ?? 1); at += idsAtOnce) {
      const some = ids ? ids.slice(at, at + idsAtOnce) : which;
      count += (await subscription[action](some)).events;
    }
    const what = `${grouped(count)} ${count === 1 ? 'event was' : 'events were'}`;
    await onDone(action === 'replay' ? `${what} replayed.` : `${what} discarded.`);
  };
  const replay = useAction(() => change('replay'));
  const discard = useAction(() => change('discard'));
  const of = which === 'all' ? 'all' : `${grouped(which.length)} selected`;
  return (
    <>
      <Confirm
        label={`Replay ${of}`}
        title={`Replay parked events of ${name}`}
        primary={which !== 'all'}
        action={replay}
      >
        <p>They are handed out again, with all their attempts. Remove the cause in the workers first.</p>
      </Confirm>
      <Confirm
        label={`Discard ${of}`}
        title={`Discard parked events of ${name}`}
        typed={which === 'all' ? name : undefined}
        danger
        action={discard}
      >
        <p>
          They are never handed out again, which cannot be undone. The events remain in their streams, and
          later events of their entities are no longer blocked.
        </p>
      </Confirm>
    </>
  );
}
