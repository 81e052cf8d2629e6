import type { StoredEvent } from '#client';
import { useAction, usePages, useResource } from '../app/resource.js';
import { hrefOf, navigate, place, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { Confirm } from '../parts/confirm.js';
import { Diff } from '../parts/diff.js';
import { JsonLine, JsonTree } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { Text, Time } from '../parts/values.js';
import { NotFound } from './not-found.js';

/** One entity: its events, its state at each of them, and the difference between two. */
export function EntityView() {
  const [stream, id] = [one(place.value, 'stream'), one(place.value, 'id')];
  if (stream === undefined || id === undefined) return <NotFound />;
  return <Entity stream={stream} id={id} key={`${stream} ${id}`} />;
}

function Entity({ stream, id }: { stream: string; id: string }) {
  const [at, other] = [one(place.value, 'at'), one(place.value, 'with')];
  const events = usePages(
    (cursor) => client.value.events({ stream, entity_id: id, order: 'desc', limit: 50, cursor }),
    [stream, id],
  );
  const state = useResource((signal) => stateAt({ stream, id, at }, signal), [stream, id, at]);
  const before = useResource((signal) => stateAt({ stream, id, at: other }, signal), [stream, id, other], {
    skip: other === undefined,
  });
  const calls = [
    {
      path: `/api/v1/entities/${encodeURIComponent(id)}/state`,
      query: { stream, as_of: at },
      command: tributary('state', [stream, id], { 'as-of': at }),
    },
    {
      path: '/api/v1/events/query',
      query: { stream, entity_id: id, order: 'desc' },
      command: tributary('query', [stream], { entity: id, order: 'desc' }),
    },
  ];
  return (
    <Page
      title={id}
      heading={<Text value={id} />}
      about={
        <>
          Entity of <a href={hrefOf(['streams', stream])}>{stream}</a>
        </>
      }
      actions={mayWrite.value && <EraseEntity stream={stream} id={id} />}
      calls={calls}
    >
      <div class="columns">
        <section aria-label="Events">
          <h2 class="sr">Events</h2>
          <Listed
            of={events}
            empty={<Empty title="There are no events of this entity.">It may have been erased.</Empty>}
          >
            {(items) => <Timeline events={items} at={at} other={other} />}
          </Listed>
        </section>
        <section aria-label="State" class="card">
          <Loaded of={state}>
            {({ version, timestamp, stateText }) => (
              <>
                <div class="card-head">
                  <h2>State at version {version}</h2>
                  <Time value={timestamp} />
                </div>
                {other !== undefined ? (
                  <Loaded of={before}>
                    {(earlier) => (
                      <Diff
                        before={earlier.stateText}
                        after={stateText}
                        names={[`Version ${earlier.version}`, `Version ${version}`]}
                      />
                    )}
                  </Loaded>
                ) : (
                  <JsonTree text={stateText} />
                )}
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
  at?: string;
  other?: string;
}

function Timeline({ events, at, other }: TimelineProps) {
  const current = at ?? events[0]?.timestamp;
  const buttons = ({ timestamp }: StoredEvent) => (
    <>
      <button
        type="button"
        class="quiet"
        aria-pressed={timestamp === current}
        onClick={() => setQuery({ at: timestamp })}
      >
        Show
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={timestamp === other}
        onClick={() => setQuery({ with: timestamp === other ? undefined : timestamp })}
      >
        Compare
      </button>
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

function stateAt({ stream, id, at }: { stream: string; id: string; at?: string }, signal: AbortSignal) {
  return client.value.state({ stream, entity_id: id, as_of: at }, { signal });
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
