import { useState } from 'preact/hooks';
import type { DeadLetter, ReplayReport } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { hrefOf, parameter, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary, type Call } from '../logic/shell.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Checkbox, Form, Select, UrlField } from '../parts/form.js';
import { LongText } from '../parts/json-view.js';
import { Card, Page } from '../parts/page.js';
import { Listed, Problem } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { type Fact, Facts, Link, Text, Time } from '../parts/values.js';

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
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  { name: 'Reason', cell: ({ reason }) => <code>{reason}</code> },
  { name: 'Source', cell: sourceLink },
  { name: 'Stream', cell: ({ stream }) => <Link href={hrefOf(['streams', stream])} text={stream} /> },
  { name: 'Error', class: 'error', cell: ({ error }) => <Text value={error.slice(0, 200)} /> },
  { name: 'Replayed', cell: ({ replayed_at }) => <Time value={replayed_at} /> },
];

/** Records that could not be processed, by reason, and their replay. */
export function DeadLettersView() {
  const [source, reason, state] = [parameter('source'), parameter('reason'), parameter('replayed')];
  const replayed = state === undefined ? undefined : state === 'yes';
  const letters = usePages(
    (cursor) => client.value.deadLetters.list({ source, replayed, limit: 100, cursor }),
    [source, replayed],
    { everyMs: 30_000 },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const command = tributary('dead-letters list', [], { source, replayed: state });
  const calls: Call[] = [['/api/v1/dead-letters', { source, replayed }, command]];
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const columns: readonly Column<DeadLetter>[] = [
    {
      name: 'Select',
      cell: ({ id }) => (
        <Checkbox label={`Select ${id}`} checked={chosen.has(id)} onChange={() => toggle(id)} />
      ),
    },
    ...letterColumns,
  ];
  const onReplayed = () => {
    setChosen(new Set());
    letters.reload();
  };
  return (
    <Page title="Dead letters" about="Records that could not be processed. None is lost." calls={calls}>
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
      <Reasons letters={letters.data?.items ?? []} selected={reason} />
      {chosen.size > 0 && mayWrite.value && <ReplayPanel ids={[...chosen]} onDone={onReplayed} />}
      <Listed of={letters} empty="There are no dead letters." hint="Every record could be processed.">
        {(items) => (
          <DataTable
            label="Dead letters"
            columns={columns}
            rows={items.filter((letter) => reason === undefined || letter.reason === reason)}
            keyOf={({ id }) => id}
            detail={(letter) => <Detail letter={letter} />}
          />
        )}
      </Listed>
    </Page>
  );
}

function Reasons({ letters, selected }: { letters: readonly DeadLetter[]; selected?: string }) {
  const counts = new Map<string, number>();
  for (const { reason } of letters) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return null;
  return (
    <div class="chips" role="group" aria-label="Reasons">
      {[...counts].map(([reason, count]) => (
        <Button
          key={reason}
          class="chip"
          aria-pressed={reason === selected}
          onClick={() => setQuery({ reason: reason === selected ? undefined : reason })}
        >
          {reason} <span class="digits">{count}</span>
        </Button>
      ))}
    </div>
  );
}

function sourceLink({ source }: DeadLetter) {
  const [, kind, name] = /^(projection|pipeline):(.+)$/.exec(source) ?? [];
  return kind && name ? <Link href={hrefOf([`${kind}s`, name])} text={source} /> : source;
}

function Detail({ letter: { id, partition, offset, operator, error, event } }: { letter: DeadLetter }) {
  const facts: Fact[] = [
    ['Id', id],
    ['Partition and offset', `${partition}:${offset}`],
    ['Operator', <code>{operator}</code>],
    ['Error', <LongText text={visibleText(error)} />],
  ];
  return (
    <>
      <Facts of={facts.filter(([name]) => name !== 'Operator' || operator !== null)} />
      <h3>Record</h3>
      <LongText text={visibleText(event)} class="mono" />
    </>
  );
}

/** Replays the selected dead letters, after a dry run. */
function ReplayPanel({ ids, onDone }: { ids: string[]; onDone: () => void }) {
  const [tried, setTried] = useState<{ ids: string; result: ReplayReport }>();
  const name = ids.join();
  const { deadLetters } = client.value;
  const dry = useAction(async () =>
    setTried({ ids: name, result: await deadLetters.replay({ ids }, { dryRun: true }) }),
  );
  const replay = useAction(async () => {
    await deadLetters.replay({ ids });
    onDone();
  });
  const result = tried?.ids === name ? tried.result : undefined;
  const buttons = (
    <span class="inline">
      <Button action={dry}>Dry run</Button>
      <Button action={replay} class="primary" disabled={!result}>
        Replay
      </Button>
    </span>
  );
  return (
    <Card label="Replay" title={`${ids.length} selected`} beside={buttons}>
      {!result && <p class="muted small">A dry run shows what a replay would do.</p>}
      {result && (
        <div role="status">
          <p>
            {result.matched} match, {result.matched - result.skipped - result.failed.length} would be
            replayed, {result.skipped} skipped, {result.failed.length} not possible
          </p>
          <ul>
            {result.failed.map(({ id, detail }) => (
              <li key={id}>
                <code>{id}</code> <Text value={detail} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <Problem error={dry.error} />
      <Problem error={replay.error} />
    </Card>
  );
}
