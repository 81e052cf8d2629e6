import type { PipelineDetail } from '#client';
import { exact } from '../app/exact-answer.js';
import { useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { windowReasons } from '../logic/window-reasons.js';
import { visibleText } from '../logic/visible-text.js';
import { Fact } from '../parts/fact.js';
import { Definition } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { PipelineGraph } from '../parts/pipeline-graph.js';
import { Loaded } from '../parts/states.js';
import { Ago, Count, Status, Time } from '../parts/values.js';
import { DryRunPanel } from './dry-run.js';
import { JobActions } from './job-actions.js';

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
  const { status, version, processed, emitted, dropped, late, failed, lag, watermark, failure } = pipeline;
  const counts = { processed, emitted, dropped, late, failed, lag };
  const { source, operators, from, steps, retrying } = pipeline;
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
      {failure && (
        <p class="problem">
          {visibleText(failure)} Remove the cause, then resume it: it continues at its position.
        </p>
      )}
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
