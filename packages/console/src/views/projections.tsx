import type { ProjectionDetail, ProjectionWithStats } from '#client';
import { useMay } from '../app/permissions.js';
import { usePages, useResource } from '../app/resource.js';
import { parameter } from '../app/router.js';
import { client, exact } from '../app/session.js';
import { withMembers } from '../logic/pretty-json.js';
import { tributary, type Call } from '../logic/shell.js';
import { Form, LiveToggle, UrlField } from '../parts/form.js';
import { Definition } from '../parts/json-view.js';
import { refreshMs } from '../parts/list.js';
import { ListPage, Page } from '../parts/page.js';
import { Listed, Loaded } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Count, Duration, type Fact, Facts, Status, titleOf } from '../parts/values.js';
import { EditDefinition, NewDefinition } from './definition-editor.js';
import { Failure, JobActions, jobColumns, NewButton, useErrorColumn } from './job.js';
import { LiveStates, StateTable } from './state-table.js';

const columns: readonly Column<ProjectionWithStats>[] = [
  ...jobColumns<ProjectionWithStats>('projections', ['processed']),
  {
    name: 'Updated',
    value: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Ago value={updated_at} />,
  },
];

const errorOf = ({ failure }: ProjectionWithStats) => failure;

export function ProjectionsView() {
  return parameter('new') === undefined ? <List /> : <NewDefinition kind="projections" />;
}

function List() {
  const list = usePages((cursor) => client.value.projections.list({ cursor, limit: 500 }), [], {
    everyMs: refreshMs,
  });
  const error = useErrorColumn('projection', list.data?.items, errorOf);
  return (
    <ListPage
      title="Projections"
      about="States that are computed from events, one for each key."
      of={list}
      columns={[...columns, error]}
      keyOf={({ name }) => name}
      textOf={({ name }) => name}
      isFolded
      actions={<NewButton kind="projections" />}
      empty="There are no projections yet."
      hint="Define one with POST /api/v1/projections or `npx tributary apply`."
    />
  );
}

/** One projection: its progress and its states, sorted by any field, as a page or live. */
export function ProjectionView({ name }: { name: string }) {
  const [prefix, orderBy, order] = [parameter('prefix'), parameter('order_by'), parameter('order')];
  const isLive = parameter('live') !== undefined;
  const isEditing = useMay('definitions:write') && parameter('edit') !== undefined;
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
    { skip: isLive || isEditing },
  );
  const path = `/api/v1/projections/${encodeURIComponent(name)}`;
  const calls: Call[] = [
    [path, undefined, tributary('get', ['projections', name])],
    [`${path}/state`, query, tributary('state', [], { projection: name, prefix })],
  ];
  if (isEditing)
    return (
      <Page title={name} calls={calls.slice(0, 1)}>
        <Loaded of={detail}>
          {({ value, text }) => (
            <EditDefinition
              kind="projections"
              saved={{ name, version: value.version, text: withMembers(text, definitionMembers) }}
              onSaved={detail.reload}
            />
          )}
        </Loaded>
      </Page>
    );
  return (
    <Page
      title={name}
      calls={calls}
      actions={
        <>
          <LiveToggle name="Live" />
          <JobActions kind="projections" of={detail} />
        </>
      }
    >
      <Loaded of={detail}>{({ value, text }) => <Progress projection={value} text={text} />}</Loaded>
      <Form class="inline">
        <UrlField name="Keys that begin with" isHidden of="prefix" placeholder="Key begins with" />
      </Form>
      {detail.data &&
        (isLive ? (
          <LiveStates key={prefix} name={name} fields={fields} prefix={prefix} />
        ) : (
          <Listed of={states} empty="There are no states." hint="No event has reached this projection.">
            {(items) => (
              <StateTable
                states={items}
                fields={fields}
                order={{ name: orderBy, isDescending: query.order === 'desc' }}
              />
            )}
          </Listed>
        ))}
    </Page>
  );
}

const definitionMembers = ['source', 'key', 'fields', 'history', 'from'];

function Progress({ projection, text }: { projection: ProjectionDetail; text: string }) {
  const { progress } = projection;
  const counts = ['processed', 'failed', 'lag'] as const;
  const facts: Fact[] = [
    ['Status', <Status value={projection.status} />],
    ['Version', projection.version],
    ['Serving', projection.serving_version ?? 'none yet'],
    ...counts.map((name): Fact => [titleOf(name), <Count value={projection[name]} />]),
    ['Lag time', <Duration value={projection.lag_seconds} />],
    ['Updated', <Ago value={projection.updated_at} />],
  ];
  return (
    <>
      <Facts of={facts} isRow />
      <Failure text={projection.failure} />
      {progress && (
        <p class="card">
          <label class="progress">
            Version {progress.version} is being built: {Math.floor(progress.fraction * 100)} %
            <progress max={1} value={progress.fraction} />
          </label>
        </p>
      )}
      <Definition text={text} members={definitionMembers} />
    </>
  );
}
