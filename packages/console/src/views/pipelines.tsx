import type { PipelineDetail, PipelineWithStats } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client, mayWrite, exact } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { windowReasons } from '../logic/window-reasons.js';
import { visibleText } from '../logic/visible-text.js';
import { Facts, type Fact } from '../parts/facts.js';
import { Definition } from '../parts/json-view.js';
import { ListPage, Page } from '../parts/page.js';
import { PipelineGraph } from '../parts/pipeline-graph.js';
import { Empty, Loaded } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Count, Status, Time } from '../parts/values.js';
import { DryRunPanel } from './dry-run.js';
import { Failure, JobActions } from './job-actions.js';

const columns: readonly Column<PipelineWithStats>[] = [
  {
    name: 'Pipeline',
    isHeading: true,
    cell: ({ name }) => <a href={hrefOf(['pipelines', name])}>{name}</a>,
  },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  { name: 'Streams', cell: ({ source }) => source.streams.join(', ') },
  { name: 'Processed', isNumber: true, cell: ({ processed }) => <Count value={processed} /> },
  { name: 'Emitted', isNumber: true, cell: ({ emitted }) => <Count value={emitted} /> },
  { name: 'Late', isNumber: true, cell: ({ late }) => <Count value={late} /> },
  { name: 'Failed', isNumber: true, cell: ({ failed }) => <Count value={failed} /> },
  { name: 'Lag', isNumber: true, cell: ({ lag }) => <Count value={lag} /> },
  { name: 'Watermark', cell: ({ watermark }) => <Ago value={watermark} /> },
];

export function PipelinesView() {
  const pipelines = usePages((cursor) => client.value.pipelines.list({ cursor }), [], { everyMs: 10_000 });
  return (
    <ListPage
      title="Pipelines"
      about="Operators between streams."
      resources="pipelines"
      of={pipelines}
      columns={columns}
      keyOf={({ name }) => name}
      empty={
        <Empty title="There are no pipelines yet.">
          Define one with POST /api/v1/pipelines or `npx tributary apply`.
        </Empty>
      }
    />
  );
}

/** One pipeline: its operators with what each did, why a window is open, and a dry run. */
export function PipelineView({ name }: { name: string }) {
  const detail = useResource((signal) => exact(({ pipelines }) => pipelines.get(name, { signal })), [name], {
    everyMs: 3_000,
  });
  const path = `/api/v1/pipelines/${encodeURIComponent(name)}`;
  const calls = [{ path, command: tributary('get', ['pipelines', name]) }];
  return (
    <Page
      title={name}
      calls={calls}
      actions={
        mayWrite.value &&
        detail.data && (
          <JobActions
            job={detail.data.value}
            jobs={client.value.pipelines}
            restart="Reset"
            reload={detail.reload}
          >
            The pipeline restarts from its beginning and emits everything again, as new events. Its open
            windows are discarded.
          </JobActions>
        )
      }
    >
      <Loaded of={detail}>{({ value, text }) => <Detail pipeline={value} text={text} />}</Loaded>
    </Page>
  );
}

function Detail({ pipeline, text }: { pipeline: PipelineDetail; text: string }) {
  const { processed, failed, source, operators, from, steps, retrying } = pipeline;
  const counts = ['processed', 'emitted', 'dropped', 'late', 'failed', 'lag'] as const;
  const facts: Fact[] = [
    ['Status', <Status value={pipeline.status} />],
    ['Version', pipeline.version],
    ...counts.map((name): Fact => [name[0]!.toUpperCase() + name.slice(1), <Count value={pipeline[name]} />]),
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
      <section class="card" aria-label="Operators">
        <h2>Operators</h2>
        <PipelineGraph source={source} operators={operators} steps={steps} processed={processed} />
      </section>
      {hasWindow(operators) && <Reasons pipeline={pipeline} />}
      <DryRunPanel definition={{ source, operators, from }} />
      <details class="card">
        <summary>Definition</summary>
        <Definition text={text} members={['source', 'operators', 'from']} />
      </details>
    </>
  );
}

function Reasons({ pipeline }: { pipeline: PipelineDetail }) {
  return (
    <section class="card" aria-label="Why is my window open">
      <h2>Why is my window open?</h2>
      <ul class="reasons">
        {windowReasons(pipeline)
          .filter(({ applies }) => applies)
          .map(({ shows, because }) => (
            <li key={shows}>
              <strong>{shows}</strong> {visibleText(because)}
            </li>
          ))}
      </ul>
    </section>
  );
}

function hasWindow(operators: readonly object[]): boolean {
  return operators.some((operator) => {
    const { window, branch } = operator as { window?: object; branch?: { operators: object[] }[] };
    return window !== undefined || branch?.some((one) => hasWindow(one.operators)) === true;
  });
}
