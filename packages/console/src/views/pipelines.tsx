import type { PipelineDetail } from '#client';
import { exact } from '../app/exact.js';
import { useAction, usePages, useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { windowReasons } from '../logic/window-reasons.js';
import { visibleText } from '../logic/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { Fact } from '../parts/fact.js';
import { Definition } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { PipelineGraph } from '../parts/pipeline-graph.js';
import { Problem } from '../parts/problem.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago, Count, Status, Time } from '../parts/values.js';
import { DryRunPanel } from './dry-run.js';

const columns = [
  { name: 'Pipeline' },
  { name: 'Status' },
  { name: 'Streams' },
  { name: 'Processed', isNumber: true },
  { name: 'Emitted', isNumber: true },
  { name: 'Late', isNumber: true },
  { name: 'Failed', isNumber: true },
  { name: 'Lag', isNumber: true },
  { name: 'Watermark' },
];

export function PipelinesView() {
  const pipelines = usePages((cursor) => client.value.pipelines.list({ cursor }), [], { everyMs: 10_000 });
  const calls = [{ path: '/api/v1/pipelines', command: tributary('get', ['pipelines']) }];
  return (
    <Page title="Pipelines" about="Operators between streams." calls={calls}>
      <Listed
        of={pipelines}
        empty={
          <Empty title="There are no pipelines yet.">
            Define one with POST /api/v1/pipelines or `npx tributary apply`.
          </Empty>
        }
      >
        {(items) => (
          <Table label="Pipelines" columns={columns}>
            {items.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <a href={hrefOf(['pipelines', one.name])}>{one.name}</a>
                </th>
                <td>
                  <Status value={one.status} />
                </td>
                <td>{one.source.streams.join(', ')}</td>
                {[one.processed, one.emitted, one.late, one.failed, one.lag].map((count, i) => (
                  <td key={i} class="number">
                    <Count value={count} />
                  </td>
                ))}
                <td>
                  <Ago value={one.watermark} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Page>
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
        detail.data && <PipelineActions pipeline={detail.data.value} reload={detail.reload} />
      }
    >
      <Loaded of={detail}>{({ value, text }) => <Detail pipeline={value} text={text} />}</Loaded>
    </Page>
  );
}

function Detail({ pipeline, text }: { pipeline: PipelineDetail; text: string }) {
  const { status, version, processed, emitted, dropped, late, failed, lag, watermark, failure } = pipeline;
  const counts = { processed, emitted, dropped, late, failed, lag };
  const { source, operators, from, steps } = pipeline;
  return (
    <>
      <dl class="facts row">
        <Fact name="Status">
          <Status value={status} />
        </Fact>
        <Fact name="Version">{version}</Fact>
        {Object.entries(counts).map(([name, value]) => (
          <Fact key={name} name={name[0]!.toUpperCase() + name.slice(1)}>
            <Count value={value} />
          </Fact>
        ))}
        <Fact name="Watermark">
          <Time value={watermark} />
        </Fact>
        <Fact name="Updated">
          <Ago value={pipeline.updated_at} />
        </Fact>
      </dl>
      {failure && <p class="problem">{visibleText(failure)}</p>}
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

function PipelineActions({
  pipeline: { name, status },
  reload,
}: {
  pipeline: PipelineDetail;
  reload: () => void;
}) {
  const { pipelines } = client.value;
  const toggle = useAction(async () => {
    await (status === 'paused' ? pipelines.resume(name) : pipelines.pause(name));
    reload();
  });
  const reset = useAction(async () => {
    await pipelines.reset(name);
    reload();
  });
  return (
    <>
      <button type="button" onClick={() => toggle.run()} disabled={toggle.running}>
        {status === 'paused' ? 'Resume' : 'Pause'}
      </button>
      <Confirm label="Reset" title={`Reset ${name}`} action={reset}>
        <p>The pipeline restarts from its beginning. Its open windows are discarded.</p>
      </Confirm>
      {toggle.error !== undefined && <Problem error={toggle.error} />}
    </>
  );
}
