import type { StoredEvent } from '#client';
import { useAction, usePages, useResource } from '../app/resource.js';
import { hrefOf, navigate, parameter, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { useTimeRange } from '../app/time-range.js';
import { tributary, type Call } from '../logic/shell.js';
import { requestTimes } from '../logic/time-range.js';
import { Confirm } from '../parts/confirm.js';
import { VersionView } from '../parts/diff.js';
import { eventKey } from '../parts/event-table.js';
import { JsonLine } from '../parts/json-view.js';
import { Button } from '../parts/form.js';
import { NotFound, Page } from '../parts/page.js';
import { RangeBar } from '../parts/range-bar.js';
import { Listed, Loaded } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { Link, Text, Time } from '../parts/values.js';

/** One entity: its events, its state at each of them, and the difference between two. */
export function EntityView() {
  const [stream, id] = [parameter('stream'), parameter('id')];
  if (stream === undefined || id === undefined) return <NotFound />;
  return <Entity stream={stream} id={id} key={`${stream} ${id}`} />;
}

function Entity({ stream, id }: { stream: string; id: string }) {
  const [at, other] = [parameter('at'), parameter('with')];
  const times = useTimeRange();
  const { range, bounds, asOf, isValid } = times;
  const events = usePages(
    (cursor, limit = 50) =>
      client.value.events({ stream, entity_id: id, ...bounds, order: 'desc', limit, cursor }),
    [stream, id, range],
    { skip: !isValid, asOf, keyOf: eventKey },
  );
  const state = useResource((signal) => stateAt({ stream, id, at }, signal), [stream, id, at], { asOf });
  const before = useResource((signal) => stateAt({ stream, id, at: other }, signal), [stream, id, other], {
    skip: other === undefined,
  });
  const path = `/api/v1/entities/${encodeURIComponent(id)}/state`;
  const inRange = requestTimes(range, asOf);
  const query = { stream, entity_id: id, ...inRange, order: 'desc' };
  const calls: Call[] = [
    [path, { stream, as_of: at }, tributary('state', [stream, id], { 'as-of': at })],
    ['/api/v1/events/query', query, tributary('query', [stream], { entity: id, ...inRange, order: 'desc' })],
  ];
  return (
    <Page
      title={id}
      about={
        <>
          Entity of <Link href={hrefOf(['streams', stream])} text={stream} />
        </>
      }
      actions={mayWrite.value && <EraseEntity stream={stream} id={id} />}
      calls={calls}
    >
      <RangeBar times={times} />
      <div class="columns">
        <section aria-label="Events">
          <h2 class="sr">Events</h2>
          {isValid && (
            <Listed
              of={events}
              empty={`There are no events of this entity${range.name === 'all' ? '' : ' in the range'}.`}
              hint={range.name === 'all' && 'It may have been erased.'}
            >
              {(items) => <Timeline events={items} shown={state.data?.timestamp} />}
            </Listed>
          )}
        </section>
        <section aria-label="State" class="card">
          <Loaded of={state}>
            {(shown) => (
              <>
                <div class="card-head">
                  <h2>State at version {shown.version}</h2>
                  <Time value={shown.timestamp} />
                </div>
                <VersionView shown={shown} other={other === undefined ? undefined : before} />
              </>
            )}
          </Loaded>
        </section>
      </div>
    </Page>
  );
}

interface TimelineProps {
  events: readonly StoredEvent[];
  /** The time of the state that is shown. */
  shown?: string;
}

function Timeline({ events, shown }: TimelineProps) {
  const [current, other] = [parameter('at') ?? shown, parameter('with')];
  const buttons = ({ timestamp }: StoredEvent) => (
    <>
      <Button class="quiet" aria-pressed={timestamp === current} onClick={() => setQuery({ at: timestamp })}>
        Show
      </Button>
      <Button
        class="quiet"
        aria-pressed={timestamp === other}
        onClick={() => setQuery({ with: timestamp === other ? undefined : timestamp })}
      >
        Compare
      </Button>
    </>
  );
  const columns: readonly Column<StoredEvent>[] = [
    { name: 'Version', isNumber: true, class: 'number digits', cell: ({ version }) => version },
    { name: 'State', class: 'nowrap timeline-actions', cell: buttons },
    { name: 'Time (UTC)', class: 'nowrap', cell: ({ timestamp }) => <Time value={timestamp} /> },
    {
      name: 'Event',
      cell: ({ event_type, dataText }) => (
        <>
          <Text value={event_type} />
          <br />
          <JsonLine text={dataText} />
        </>
      ),
    },
  ];
  return (
    <DataTable
      label="Events of the entity"
      columns={columns}
      rows={events}
      keyOf={({ event_id }) => event_id}
      isOpen={({ timestamp }) => timestamp === current}
    />
  );
}

async function stateAt({ stream, id, at }: { stream: string; id: string; at?: string }, signal: AbortSignal) {
  const state = await client.value.state({ stream, entity_id: id, as_of: at }, { signal });
  const { version, timestamp, stateText: text } = state;
  return { version, timestamp, text };
}

function EraseEntity({ stream, id }: { stream: string; id: string }) {
  const action = useAction(async () => {
    await client.value.entities.erase({ stream, entity_id: id }, { confirm: id });
    navigate(hrefOf(['streams', stream]));
  });
  return (
    <Confirm label="Erase" title="Erase this entity" typed={id} danger action={action}>
      <p>
        All events of the entity are removed permanently. Projections and pipelines read the stream again.
      </p>
    </Confirm>
  );
}
