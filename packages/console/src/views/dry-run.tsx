import { useState } from 'preact/hooks';
import type { DryRun, DryRunStep, NewEvent, PipelineReplacement, StoredEvent } from '#client';
import { exact, type Exact } from '../app/exact.js';
import { useAction } from '../app/resource.js';
import { client } from '../app/session.js';
import { textAt } from '../logic/json-tree.js';
import { JsonTree } from '../parts/json-view.js';
import { Problem } from '../parts/problem.js';
import { Empty } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Status, Text } from '../parts/values.js';

/** Shows what a pipeline would do with the latest events of its streams. Nothing is written. */
export function DryRunPanel({ definition }: { definition: PipelineReplacement }) {
  const [count, setCount] = useState(5);
  const [result, setResult] = useState<Exact<DryRun>>();
  const run = useAction(async () => {
    const { streams, event_types: types } = definition.source;
    const query = { stream: streams, event_type: types ?? undefined, order: 'desc' as const, limit: count };
    const { items } = await client.value.events(query).first();
    const events = items.reverse().map(sample);
    setResult(await exact(({ pipelines }) => pipelines.dryRun({ definition, events })));
  });
  return (
    <section class="card" aria-label="Dry run">
      <div class="card-head">
        <h2>Dry run</h2>
        <span class="inline">
          <label>
            with the last{' '}
            <select value={count} onChange={(event) => setCount(Number(event.currentTarget.value))}>
              {[1, 5, 20, 100].map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>{' '}
            events
          </label>
          <button type="button" onClick={() => run.run()} disabled={run.running}>
            {run.running ? 'Running…' : 'Run'}
          </button>
        </span>
      </div>
      {run.error !== undefined && <Problem error={run.error} />}
      {result && <Result result={result.value} text={result.text} />}
    </section>
  );
}

/** Returns a stored event as a sample: with the exact text of its data. */
function sample({
  stream,
  event_type,
  entity_id,
  timestamp,
  event_id,
  dataText,
  metadata,
}: StoredEvent): NewEvent {
  return {
    stream,
    event_type,
    entity_id,
    timestamp,
    event_id,
    dataText,
    metadata: metadata as NewEvent['metadata'],
  };
}

function Result({ result, text }: { result: DryRun; text: string }) {
  const traces = (['events', 'windows'] as const).flatMap((list) =>
    result[list].map((trace, i) => ({ ...trace, text: textAt(text, [list, i]) ?? '' })),
  );
  if (traces.length === 0) return <Empty title="There are no events to run." />;
  return (
    <>
      <p class="muted small">
        {result.emitted.length} emitted, {result.late.length} late, {result.failed.length} failed
        {result.truncated && '; the result was shortened'}
      </p>
      <Table label="Traces" columns={[{ name: 'Event' }, { name: 'Operators' }]}>
        {traces.map(({ event, steps, text }, i) => (
          <tr key={i}>
            <td>
              <Text value={event.event_type} />
              <JsonTree text={textAt(text, ['event', 'data']) ?? 'null'} open={false} />
            </td>
            <td>
              <ol class="steps">
                {steps.map((step, j) => (
                  <Step key={j} step={step} data={textAt(text, ['steps', j, 'result', 'data'])} />
                ))}
              </ol>
            </td>
          </tr>
        ))}
      </Table>
      {result.failed.map(({ at, error }, i) => (
        <p class="problem" key={i}>
          <code>{at}</code> <Text value={error} />
        </p>
      ))}
    </>
  );
}

function Step({ step: { operator, outcome, reason, key }, data }: { step: DryRunStep; data?: string }) {
  return (
    <li>
      <strong>{operator}</strong> <Status value={outcome} />
      {key != null && (
        <>
          {' '}
          key <Text value={key} />
        </>
      )}
      {reason && (
        <span class="muted small">
          {' '}
          <Text value={reason} />
        </span>
      )}
      {data !== undefined && <JsonTree text={data} open={false} />}
    </li>
  );
}
