import { useState } from 'preact/hooks';
import type {
  DryRunReport,
  DryRunStep,
  EventFilter,
  NewEvent,
  PipelineReplacement,
  StoredEvent,
} from '#client';
import { useAction } from '../app/resource.js';
import { client, exact, type ExactAnswer } from '../app/session.js';
import { textAt } from '../logic/json-tree.js';
import { JsonTree } from '../parts/json-view.js';
import { Problem } from '../parts/problem.js';
import { Empty } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Status, Text } from '../parts/values.js';
import { EventPicker, type PickedEvents } from './event-picker.js';

/** A dry run takes at most this number of events. */
const mostEvents = 100;

/** Shows what a pipeline would do with the latest events of its streams, or with picked ones. Nothing is written. */
export function DryRunPanel({ definition }: { definition: PipelineReplacement }) {
  const [choice, setChoice] = useState('5');
  const [picked, setPicked] = useState<PickedEvents>(new Map());
  const [result, setResult] = useState<ExactAnswer<DryRunReport>>();
  const { streams, event_types: types } = definition.source;
  const filter = { stream: streams, event_type: types ?? undefined };
  const isPicking = choice === 'picked';
  const run = useAction(async () => {
    const chosen = isPicking ? [...picked.values()] : await latest(filter, Number(choice));
    const events = inOrder(chosen).map(sample);
    setResult(await exact(({ pipelines }) => pipelines.dryRun({ definition, events })));
  });
  return (
    <section class="card" aria-label="Dry run">
      <div class="card-head">
        <h2>Dry run</h2>
        <span class="inline">
          <label>
            with{' '}
            <select value={choice} onChange={(event) => setChoice(event.currentTarget.value)}>
              {['1', '5', '20', '100'].map((count) => (
                <option key={count} value={count}>
                  {count === '1' ? 'the last event' : `the last ${count} events`}
                </option>
              ))}
              <option value="picked">picked events</option>
            </select>
          </label>
          <button
            type="button"
            onClick={() => run.run()}
            disabled={run.running || (isPicking && picked.size === 0)}
          >
            {run.running ? 'Running…' : isPicking ? `Run with ${picked.size}` : 'Run'}
          </button>
        </span>
      </div>
      {isPicking && <EventPicker filter={filter} picked={picked} onPick={setPicked} most={mostEvents} />}
      <Problem error={run.error} />
      {result && <Result result={result.value} text={result.text} />}
    </section>
  );
}

async function latest(filter: EventFilter, count: number): Promise<readonly StoredEvent[]> {
  return (await client.value.events({ ...filter, order: 'desc', limit: count }).first()).items;
}

/** Returns events as a pipeline reads them, the oldest first. */
function inOrder(events: readonly StoredEvent[]): StoredEvent[] {
  const before = (a: StoredEvent, b: StoredEvent) => (a.ingested_at < b.ingested_at ? -1 : 1);
  return [...events].sort((a, b) => (a.ingested_at === b.ingested_at ? a.offset - b.offset : before(a, b)));
}

/** Returns a stored event as a sample: with the exact text of its data. */
function sample(event: StoredEvent): NewEvent {
  const { stream, event_type, entity_id, timestamp, event_id, dataText } = event;
  const metadata = event.metadata as NewEvent['metadata'];
  return { stream, event_type, entity_id, timestamp, event_id, dataText, metadata };
}

function Result({ result, text }: { result: DryRunReport; text: string }) {
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
