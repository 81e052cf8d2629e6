import { useState } from 'preact/hooks';
import type { DryRunReport, DryRunStep, EventFilter, NewEvent, StoredEvent } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { client, exact, type ExactAnswer } from '../app/session.js';
import { textAt } from '../logic/json-tree.js';
import { readByText } from '../logic/pipeline-graph.js';
import { Button, Checkbox, Select } from '../parts/form.js';
import { JsonLine, JsonTree } from '../parts/json-view.js';
import { Card } from '../parts/page.js';
import { Empty, Listed, Problem } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { Status, Text, Time } from '../parts/values.js';

/** A dry run takes at most this number of events. */
const mostEvents = 100;

const choices = [
  ['1', 'the last event'],
  ['5', 'the last 5 events'],
  ['20', 'the last 20 events'],
  ['100', 'the last 100 events'],
  ['picked', 'picked events'],
] as const;

/**
 * Shows what a pipeline would do with the latest events of its streams, or with picked ones. Nothing is written.
 * @param props `definition`: the text of a definition, which may be incomplete
 */
export function DryRunPanel({ definition }: { definition: string }) {
  const [choice, setChoice] = useState('5');
  const [picked, setPicked] = useState<PickedEvents>(new Map());
  const [result, setResult] = useState<ExactAnswer<DryRunReport> & { definition: string }>();
  const filter = readByText(definition);
  const isPicking = choice === 'picked';
  const run = useAction(async () => {
    const chosen = isPicking ? [...picked.values()] : await latest(filter!, Number(choice));
    const events = inOrder(chosen).map(sample);
    const report = await exact(({ pipelines }) =>
      pipelines.dryRun({ definition: { jsonText: definition }, events }),
    );
    setResult({ ...report, definition });
  });
  const controls = (
    <span class="inline">
      with <Select name="Events" isHidden value={choice} options={choices} onSelect={setChoice} />
      <Button action={run} disabled={!filter || (isPicking && picked.size === 0)}>
        {run.running ? 'Running…' : isPicking ? `Run with ${picked.size}` : 'Run'}
      </Button>
    </span>
  );
  return (
    <Card title="Dry run" beside={controls}>
      {isPicking && filter && <EventPicker filter={filter} picked={picked} onPick={setPicked} />}
      <Problem error={run.error} />
      {result && result.definition !== definition && (
        <p class="notice" role="status">
          The definition has changed since this run.
        </p>
      )}
      {result && <Result result={result.value} text={result.text} />}
    </Card>
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

/** What a dry run says of an event or of a window, and its exact text. */
type TracedText = (DryRunReport['events'] | DryRunReport['windows'])[number] & { text: string };

const traceColumns: readonly Column<TracedText>[] = [
  {
    name: 'Event',
    cell: ({ event, text }) => (
      <>
        <Text value={event.event_type} />
        <JsonTree text={textAt(text, ['event', 'data']) ?? 'null'} open={false} />
      </>
    ),
  },
  {
    name: 'Operators',
    cell: ({ steps, text }) => (
      <ol class="steps">
        {steps.map((step, i) => (
          <Step key={i} step={step} data={textAt(text, ['steps', i, 'result', 'data'])} />
        ))}
      </ol>
    ),
  },
];

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
      <DataTable label="Traces" columns={traceColumns} rows={traces} keyOf={(_, index) => index} />
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

/** Events by their ids. */
type PickedEvents = ReadonlyMap<string, StoredEvent>;

interface EventPickerProps {
  filter: EventFilter;
  picked: PickedEvents;
  onPick: (picked: PickedEvents) => void;
}

/** The latest events of a filter, each with a box to pick it. */
function EventPicker({ filter, picked, onPick }: EventPickerProps) {
  const events = usePages(
    (cursor) => client.value.events({ ...filter, order: 'desc', limit: 20, cursor }),
    [filter],
  );
  const toggle = (event: StoredEvent) => {
    const next = new Map(picked);
    if (!next.delete(event.event_id)) next.set(event.event_id, event);
    onPick(next);
  };
  const columns: readonly Column<StoredEvent>[] = [
    {
      name: 'Pick',
      cell: (event) => (
        <Checkbox
          label={`Pick the event of ${event.timestamp}`}
          checked={picked.has(event.event_id)}
          disabled={picked.size >= mostEvents && !picked.has(event.event_id)}
          onChange={() => toggle(event)}
        />
      ),
    },
    { name: 'Time (UTC)', class: 'nowrap', cell: ({ timestamp }) => <Time value={timestamp} /> },
    { name: 'Stream', cell: ({ stream }) => <Text value={stream} /> },
    { name: 'Type', class: 'type', cell: ({ event_type }) => <Text value={event_type} /> },
    {
      name: 'Entity',
      class: 'entity',
      cell: ({ entity_id: id }) => (id === null ? '–' : <Text value={id} />),
    },
    { name: 'Data', class: 'data', cell: ({ dataText }) => <JsonLine text={dataText} /> },
  ];
  return (
    <Listed of={events} empty="There are no events to pick.">
      {(items) => (
        <DataTable label="Events to pick" columns={columns} rows={items} keyOf={({ event_id }) => event_id} />
      )}
    </Listed>
  );
}
