import type { ProjectionDetail, ProjectionWithStats } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, place, setQuery } from '../app/router.js';
import { client, mayWrite, exact } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { Facts } from '../parts/facts.js';
import { Form, Labelled, Toggle, UrlField } from '../parts/form.js';
import { Definition } from '../parts/json-view.js';
import { ListPage, Page } from '../parts/page.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Count, Status } from '../parts/values.js';
import { Failure, JobActions } from './job-actions.js';
import { LiveStates, StateTable } from './state-table.js';

const columns: readonly Column<ProjectionWithStats>[] = [
  {
    name: 'Projection',
    isHeading: true,
    cell: ({ name }) => <a href={hrefOf(['projections', name])}>{name}</a>,
  },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  { name: 'Streams', cell: ({ source }) => source.streams.join(', ') },
  { name: 'Processed', isNumber: true, cell: ({ processed }) => <Count value={processed} /> },
  { name: 'Failed', isNumber: true, cell: ({ failed }) => <Count value={failed} /> },
  { name: 'Lag', isNumber: true, cell: ({ lag }) => <Count value={lag} /> },
  { name: 'Updated', cell: ({ updated_at }) => <Ago value={updated_at} /> },
];

export function ProjectionsView() {
  const projections = usePages((cursor) => client.value.projections.list({ cursor }), [], {
    everyMs: 10_000,
  });
  return (
    <ListPage
      title="Projections"
      about="States that are computed from events, one for each key."
      resources="projections"
      of={projections}
      columns={columns}
      keyOf={({ name }) => name}
      empty={
        <Empty title="There are no projections yet.">
          Define one with POST /api/v1/projections or `npx tributary apply`.
        </Empty>
      }
    />
  );
}

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
  const load = (signal: AbortSignal) => exact(({ projections }) => projections.get(name, { signal }));
  const detail = useResource(load, [name], { everyMs: 5_000 });
  const fields = Object.keys(detail.data?.value.fields ?? {});
  const states = usePages(
    (cursor) => client.value.projections.states(name, { ...query, cursor, limit: 50 }),
    [name, query],
    { skip: isLive },
  );
  const path = `/api/v1/projections/${encodeURIComponent(name)}`;
  const calls = [
    { path, command: tributary('get', ['projections', name]) },
    { path: `${path}/state`, query, command: tributary('state', [], { projection: name, prefix }) },
  ];
  return (
    <Page
      title={name}
      calls={calls}
      actions={
        <>
          <Toggle pressed={isLive} onToggle={() => setQuery({ live: isLive ? undefined : true })}>
            {isLive ? 'Stop live' : 'Live'}
          </Toggle>
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
      <Form class="inline">
        <Labelled name="Keys that begin with">
          <UrlField parameter="prefix" value={prefix} placeholder="Key begins with" />
        </Labelled>
      </Form>
      {detail.data &&
        (isLive ? (
          <LiveStates name={name} fields={fields} prefix={prefix} />
        ) : (
          <Listed
            of={states}
            empty={<Empty title="There are no states.">No event has reached this projection.</Empty>}
          >
            {(items) => (
              <StateTable states={items} fields={fields} sort={{ field: orderBy, order: query.order }} />
            )}
          </Listed>
        ))}
    </Page>
  );
}

function Progress({ projection, text }: { projection: ProjectionDetail; text: string }) {
  const { progress } = projection;
  return (
    <>
      <Facts
        isRow
        of={[
          ['Status', <Status value={projection.status} />],
          ['Version', projection.version],
          ['Serving', projection.serving_version ?? 'none yet'],
          ['Processed', <Count value={projection.processed} />],
          ['Failed', <Count value={projection.failed} />],
          ['Lag', <Count value={projection.lag} />],
          ['Updated', <Ago value={projection.updated_at} />],
        ]}
      />
      <Failure text={projection.failure} />
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
