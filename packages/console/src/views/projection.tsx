import type { ProjectionDetail } from '#client';
import { exact } from '../app/exact-answer.js';
import { usePages, useResource } from '../app/resource.js';
import { place, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { visibleText } from '../logic/visible-text.js';
import { Fact } from '../parts/fact.js';
import { Definition } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import { Ago, Count, Status } from '../parts/values.js';
import { UrlField } from '../parts/url-field.js';
import { LiveStates } from './live-states.js';
import { StateTable } from './state-table.js';
import { JobActions } from './job-actions.js';

/** One projection: its progress and its states, sorted by any field, as a page or live. */
export function ProjectionView({ name }: { name: string }) {
  const now = place.value;
  const [prefix, orderBy, order] = [one(now, 'prefix'), one(now, 'order_by'), one(now, 'order')];
  const isLive = one(now, 'live') !== undefined;
  const query = {
    prefix,
    order_by: orderBy,
    order: order === 'asc' ? ('asc' as const) : orderBy ? ('desc' as const) : undefined,
  };
  const detail = useResource(
    (signal) => exact(({ projections }) => projections.get(name, { signal })),
    [name],
    {
      everyMs: 5_000,
    },
  );
  const states = usePages(
    (cursor) => client.value.projections.states(name, { ...query, cursor, limit: 50 }),
    [name, query],
    {
      skip: isLive,
    },
  );
  const calls = [
    {
      path: `/api/v1/projections/${encodeURIComponent(name)}`,
      command: tributary('get', ['projections', name]),
    },
    {
      ...{ path: `/api/v1/projections/${encodeURIComponent(name)}/state`, query },
      command: tributary('state', [], { projection: name, prefix }),
    },
  ];
  return (
    <Page
      title={name}
      calls={calls}
      actions={
        <>
          <button
            type="button"
            aria-pressed={isLive}
            class={isLive ? 'primary' : ''}
            onClick={() => setQuery({ live: !isLive })}
          >
            {isLive ? 'Stop live' : 'Live'}
          </button>
          {mayWrite.value && detail.data && (
            <JobActions
              job={detail.data.value}
              jobs={client.value.projections}
              restart="Rebuild"
              reload={detail.reload}
            >
              A new version is built from the log. The present one serves until the new one is complete.
            </JobActions>
          )}
        </>
      }
    >
      <Loaded of={detail}>{({ value, text }) => <Progress projection={value} text={text} />}</Loaded>
      <form class="inline" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span class="sr">Keys that begin with</span>
          <UrlField parameter="prefix" value={prefix} placeholder="Key begins with" />
        </label>
      </form>
      {detail.data &&
        (isLive ? (
          <LiveStates name={name} fields={Object.keys(detail.data.value.fields)} prefix={prefix} />
        ) : (
          <Listed
            of={states}
            empty={<Empty title="There are no states.">No event has reached this projection.</Empty>}
          >
            {(items) => (
              <StateTable
                states={items}
                fields={Object.keys(detail.data!.value.fields)}
                sort={{ field: orderBy, order: query.order }}
              />
            )}
          </Listed>
        ))}
    </Page>
  );
}

function Progress({ projection, text }: { projection: ProjectionDetail; text: string }) {
  const { progress, failure } = projection;
  return (
    <>
      <dl class="facts row">
        <Fact name="Status">
          <Status value={projection.status} />
        </Fact>
        <Fact name="Version">{projection.version}</Fact>
        <Fact name="Serving">{projection.serving_version ?? 'none yet'}</Fact>
        <Fact name="Processed">
          <Count value={projection.processed} />
        </Fact>
        <Fact name="Failed">
          <Count value={projection.failed} />
        </Fact>
        <Fact name="Lag">
          <Count value={projection.lag} />
        </Fact>
        <Fact name="Updated">
          <Ago value={projection.updated_at} />
        </Fact>
      </dl>
      {failure && (
        <p class="problem">
          {visibleText(failure)} Remove the cause, then resume it: it continues at its position.
        </p>
      )}
      {progress && (
        <p class="card">
          <label class="progress">
            Version {progress.version} is being built: {Math.floor(progress.fraction * 100)} %
            <progress max={1} value={progress.fraction} />
          </label>
        </p>
      )}
      <details class="card">
        <summary>Definition</summary>
        <Definition text={text} members={['source', 'key', 'fields', 'from']} />
      </details>
    </>
  );
}
