import { useState } from 'preact/hooks';
import type { DeadLetter } from '#client';
import { useMay } from '../app/permissions.js';
import { usePages } from '../app/resource.js';
import { hrefOf, parameter, setQuery } from '../app/router.js';
import { client } from '../app/session.js';
import { tributary, type Call } from '../logic/shell.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Form, Select, UrlField } from '../parts/form.js';
import { LongText } from '../parts/json-view.js';
import { List, refreshMs } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { selectColumn } from '../parts/select-column.js';
import type { Column } from '../parts/table.js';
import { type Fact, Facts, Link, Text, Time } from '../parts/values.js';
import { projectionOf, RebuildHint, ReplayPanel } from './replay-panel.js';

const replayedOptions = [
  ['', 'Replayed or not'],
  ['no', 'Not replayed'],
  ['yes', 'Replayed'],
] as const;

const letterColumns: readonly Column<DeadLetter>[] = [
  {
    name: 'Time (UTC)',
    class: 'nowrap',
    opensRow: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  { name: 'Reason', value: ({ reason }) => reason, cell: ({ reason }) => <code>{reason}</code> },
  { name: 'Source', value: ({ source }) => source, cell: sourceLink },
  {
    name: 'Stream',
    value: ({ stream }) => stream,
    cell: ({ stream }) => <Link href={hrefOf(['streams', stream])} text={stream} />,
  },
  {
    name: 'Error',
    class: 'error',
    value: ({ error }) => error,
    cell: ({ error }) => <Text value={error.slice(0, 200)} />,
  },
  {
    name: 'Replayed',
    value: ({ replayed_at }) => replayed_at,
    cell: ({ replayed_at }) => <Time value={replayed_at} />,
  },
];

/** Records that could not be processed, by source and reason, and their replay. */
export function DeadLettersView() {
  const [source, reason, state] = [parameter('source'), parameter('reason'), parameter('replayed')];
  const replayed = state === undefined ? undefined : state === 'yes';
  const letters = usePages(
    (cursor) => client.value.deadLetters.list({ source, replayed, limit: 200, cursor }),
    [source, replayed],
    { everyMs: refreshMs },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const mayReplay = useMay('admin');
  const command = tributary('dead-letters list', [], { source, replayed: state });
  const calls: Call[] = [['/api/v1/dead-letters', { source, replayed }, command]];
  const items = letters.data?.items ?? [];
  const ids = items.map(({ id }) => id).filter((id) => chosen.has(id));
  const onReplayed = () => {
    setChosen(new Set());
    void letters.reload();
  };
  return (
    <Page title="Dead letters" about="Records that could not be processed. None is lost." calls={calls}>
      <Chips name="source" label="Sources" values={items.map(({ source }) => source)} />
      <Chips name="reason" label="Reasons" values={items.map(({ reason }) => reason)} />
      {mayReplay && items.length > 0 && <ReplayPanel ids={ids} source={source} onReplayed={onReplayed} />}
      <List
        label="Dead letters"
        of={letters}
        columns={mayReplay ? [selectColumn(chosen, setChosen), ...letterColumns] : letterColumns}
        keyOf={({ id }) => id}
        textOf={({ id, source, stream, reason, error }) => [id, source, stream, reason, error].join(' ')}
        select={(letter) => reason === undefined || letter.reason === reason}
        detail={(letter) => <Detail letter={letter} />}
        empty="There are no dead letters."
        hint="Every record could be processed."
        filters={
          <Form class="inline">
            <UrlField name="Source" isHidden of="source" placeholder="Source: pipeline:NAME" />
            <Select
              name="Replayed"
              isHidden
              value={state}
              options={replayedOptions}
              onSelect={(replayed) => setQuery({ replayed })}
            />
          </Form>
        }
      />
    </Page>
  );
}

interface ChipsProps {
  /** The parameter of the URL that a chip sets. */
  name: string;
  label: string;
  values: readonly string[];
}

/** The values of a column with the number of loaded rows of each. A click limits the list to one. */
function Chips({ name, label, values }: ChipsProps) {
  const selected = parameter(name);
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  if (counts.size === 0) return null;
  return (
    <div class="chips" role="group" aria-label={label}>
      <span class="muted small">{label}</span>
      {[...counts].map(([value, count]) => (
        <Button
          key={value}
          class="chip"
          aria-pressed={value === selected}
          onClick={() => setQuery({ [name]: value === selected ? undefined : value })}
        >
          <Text value={value} /> <span class="digits">{count}</span>
        </Button>
      ))}
    </div>
  );
}

function sourceLink({ source }: DeadLetter) {
  const [, kind, name] = /^(projection|pipeline):(.+)$/.exec(source) ?? [];
  return kind && name ? <Link href={hrefOf([`${kind}s`, name])} text={source} /> : source;
}

function Detail({ letter }: { letter: DeadLetter }) {
  const { id, source, partition, offset, operator, error, event } = letter;
  const projection = projectionOf(source);
  const facts: Fact[] = [
    ['Id', id],
    ['Partition and offset', `${partition}:${offset}`],
    ['Operator', <code>{operator}</code>],
    ['Error', <LongText text={visibleText(error)} />],
  ];
  return (
    <>
      <Facts of={facts.filter(([name]) => name !== 'Operator' || operator !== null)} />
      {projection !== undefined && <RebuildHint projection={projection} />}
      <h2 class="detail-title">Record</h2>
      <LongText text={visibleText(event)} class="mono" />
    </>
  );
}
