import type { PipelineDetail, PipelineWithStats } from '#client';
import { useMay } from '../app/permissions.js';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, parameter } from '../app/router.js';
import { client, exact } from '../app/session.js';
import { withMembers } from '../logic/pretty-json.js';
import { tributary } from '../logic/shell.js';
import { windowReasons } from '../logic/window-reasons.js';
import { visibleText } from '../logic/visible-text.js';
import { Definition } from '../parts/json-view.js';
import { refreshMs } from '../parts/list.js';
import { Card, ListPage, Page } from '../parts/page.js';
import { PipelineGraph } from '../parts/pipeline-graph.js';
import { Loaded } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Count, Duration, type Fact, Facts, Status, Time, titleOf } from '../parts/values.js';
import { EditDefinition, NewDefinition } from './definition-editor.js';
import { DryRunPanel } from './dry-run.js';
import { Failure, JobActions, jobColumns, NewButton, useErrorColumn } from './job.js';

const columns: readonly Column<PipelineWithStats>[] = [
  ...jobColumns<PipelineWithStats>('pipelines', ['processed', 'emitted', 'late']),
  {
    name: 'Watermark',
    value: ({ watermark }) => watermark,
    cell: ({ watermark }) => <Ago value={watermark} />,
  },
];

const errorOf = ({ failure, retrying }: PipelineWithStats) => failure ?? retrying?.last_answer;

export function PipelinesView() {
  return parameter('new') === undefined ? <List /> : <NewDefinition kind="pipelines" />;
}

function List() {
  const pipelines = usePages((cursor) => client.value.pipelines.list({ cursor, limit: 500 }), [], {
    everyMs: refreshMs,
  });
  const error = useErrorColumn('pipeline', pipelines.data?.items, errorOf);
  return (
    <ListPage
      title="Pipelines"
      about="Operators between streams."
      of={pipelines}
      columns={[...columns, error]}
      keyOf={({ name }) => name}
      textOf={({ name }) => name}
      isFolded
      actions={<NewButton kind="pipelines" />}
      empty="There are no pipelines yet."
      hint="Define one with POST /api/v1/pipelines or `npx tributary apply`."
    />
  );
}

/** One pipeline: its operators with what each did, why a window is open, and a dry run. */
export function PipelineView({ name }: { name: string }) {
  const detail = useResource((signal) => exact(({ pipelines }) => pipelines.get(name, { signal })), [name], {
    everyMs: 3_000,
  });
  const isEditing = useMay('definitions:write') && parameter('edit') !== undefined;
  const path = `/api/v1/pipelines/${encodeURIComponent(name)}`;
  return (
    <Page
      title={name}
      calls={[[path, undefined, tributary('get', ['pipelines', name])]]}
      actions={!isEditing && <JobActions kind="pipelines" of={detail} />}
    >
      <Loaded of={detail}>
        {({ value, text }) =>
          isEditing ? (
            <EditDefinition
              kind="pipelines"
              saved={{ name, version: value.version, text: withMembers(text, definitionMembers) }}
              onSaved={detail.reload}
            />
          ) : (
            <Detail pipeline={value} text={text} />
          )
        }
      </Loaded>
    </Page>
  );
}

const definitionMembers = ['source', 'operators', 'from'];

function Detail({ pipeline, text }: { pipeline: PipelineDetail; text: string }) {
  const { processed, failed, source, operators, steps, retrying } = pipeline;
  const counts = ['processed', 'emitted', 'dropped', 'late', 'failed', 'lag'] as const;
  const facts: Fact[] = [
    ['Status', <Status value={pipeline.status} />],
    ['Version', pipeline.version],
    ...counts.map((name): Fact => [titleOf(name), <Count value={pipeline[name]} />]),
    ['Lag time', <Duration value={pipeline.lag_seconds} />],
    ['Watermark', <Time value={pipeline.watermark} />],
    ['Updated', <Ago value={pipeline.updated_at} />],
  ];
  return (
    <>
      <Facts of={facts} isRow />
      <Failure text={pipeline.failure} />
      {retrying && (
        <p class="problem">
          Deliveries are repeated since <Time value={retrying.since} />: {visibleText(retrying.last_answer)}
        </p>
      )}
      {failed > 0 && (
        <p>
          <a href={hrefOf(['dead-letters'], { source: `pipeline:${pipeline.name}` })}>
            Dead letters of this pipeline
          </a>
        </p>
      )}
      <Card title="Operators">
        <PipelineGraph source={source} operators={operators} steps={steps} processed={processed} />
      </Card>
      {waits(operators) && <Reasons pipeline={pipeline} />}
      <DryRunPanel definition={withMembers(text, definitionMembers)} />
      <Definition text={text} members={definitionMembers} />
    </>
  );
}

function Reasons({ pipeline }: { pipeline: PipelineDetail }) {
  return (
    <Card title="Why is nothing coming out?">
      <ul class="reasons">
        {windowReasons(pipeline)
          .filter(({ applies }) => applies)
          .map(({ shows, because }) => (
            <li key={shows}>
              <strong>{shows}</strong> {visibleText(because)}
            </li>
          ))}
      </ul>
    </Card>
  );
}

/** Returns whether results of a pipeline wait for a watermark: those of a window, an expect or a join. */
function waits(operators: readonly object[]): boolean {
  return operators.some((operator) => {
    const { branch } = operator as { branch?: { operators: object[] }[] };
    if (branch?.some((one) => waits(one.operators))) return true;
    return ['window', 'expect', 'join'].some((name) => name in operator);
  });
}
