import type { StoredEvent } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, place, setQuery } from '../app/router.js';
import { client } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { Diff } from '../parts/diff.js';
import { JsonLine, JsonTree } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text, Time } from '../parts/values.js';
import { NotFound } from './not-found.js';
import { EraseEntity } from './erase-entity.js';
import { mayWrite } from '../app/session.js';

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
      ...{ path: `/api/v1/entities/${encodeURIComponent(id)}/state`, query: { stream, as_of: at } },
      command: tributary('state', [stream, id], { 'as-of': at }),
    },
    {
      ...{ path: '/api/v1/events/query', query: { stream, entity_id: id, order: 'desc' } },
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
  const columns = [
    { name: 'Version', isNumber: true },
    { name: 'State' },
    { name: 'Time (UTC)' },
    { name: 'Event' },
  ];
  const current = at ?? events[0]?.timestamp;
  return (
    <Table label="Events of the entity" columns={columns}>
      {events.map((event) => (
        <tr key={event.event_id} class={event.timestamp === current ? 'open' : undefined}>
          <td class="number digits">{event.version}</td>
          <td class="nowrap timeline-actions">
            <button
              type="button"
              class="quiet"
              aria-pressed={event.timestamp === current}
              onClick={() => setQuery({ at: event.timestamp })}
            >
              Show
            </button>
            <button
              type="button"
              class="quiet"
              aria-pressed={event.timestamp === other}
              onClick={() => setQuery({ with: event.timestamp === other ? undefined : event.timestamp })}
            >
              Compare
            </button>
          </td>
          <td class="nowrap">
            <Time value={event.timestamp} />
          </td>
          <td>
            <Text value={event.event_type} />
            <br />
            <JsonLine text={event.dataText} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function stateAt({ stream, id, at }: { stream: string; id: string; at?: string }, signal: AbortSignal) {
  return client.value.state({ stream, entity_id: id, as_of: at }, { signal });
}
