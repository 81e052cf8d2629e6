import { useState } from 'preact/hooks';
import type { DeadLetter, ReplayReport } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { hrefOf, place, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { visibleText } from '../logic/visible-text.js';
import { Facts, type Fact } from '../parts/facts.js';
import { Form, Labelled, UrlField } from '../parts/form.js';
import { LongText } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Problem } from '../parts/problem.js';
import { Empty, Listed } from '../parts/states.js';
import { ExpandableRow, Table } from '../parts/table.js';
import { Text, Time } from '../parts/values.js';

const columns = [
  { name: 'Select' },
  { name: 'Time (UTC)' },
  { name: 'Reason' },
  { name: 'Source' },
  { name: 'Stream' },
  { name: 'Error' },
  { name: 'Replayed' },
];

/** Records that could not be processed, by reason, and their replay. */
export function DeadLettersView() {
  const now = place.value;
  const [source, reason] = [one(now, 'source'), one(now, 'reason')];
  const state = one(now, 'replayed');
  const replayed = state === undefined ? undefined : state === 'yes';
  const letters = usePages(
    (cursor) => client.value.deadLetters.list({ source, replayed, limit: 100, cursor }),
    [source, replayed],
    { everyMs: 30_000 },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = letters.data?.items.filter((one) => reason === undefined || one.reason === reason) ?? [];
  const calls = [
    {
      path: '/api/v1/dead-letters',
      query: { source, replayed },
      command: tributary('dead-letters list', [], { source, replayed: state }),
    },
  ];
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Page title="Dead letters" about="Records that could not be processed. None is lost." calls={calls}>
      <Form class="inline">
        <Labelled name="Source">
          <UrlField parameter="source" value={source} placeholder="Source: pipeline:NAME" />
        </Labelled>
        <Labelled name="Replayed">
          <select value={state ?? ''} onChange={(event) => setQuery({ replayed: event.currentTarget.value })}>
            <option value="">Replayed or not</option>
            <option value="no">Not replayed</option>
            <option value="yes">Replayed</option>
          </select>
        </Labelled>
      </Form>
      <Reasons letters={letters.data?.items ?? []} selected={reason} />
      {chosen.size > 0 && mayWrite.value && (
        <ReplayPanel
          ids={[...chosen]}
          onDone={() => {
            setChosen(new Set());
            letters.reload();
          }}
        />
      )}
      <Listed
        of={letters}
        empty={<Empty title="There are no dead letters.">Every record could be processed.</Empty>}
      >
        {() => (
          <Table label="Dead letters" columns={columns}>
            {shown.map((one) => (
              <DeadLetterRow
                key={one.id}
                letter={one}
                chosen={chosen.has(one.id)}
                onChoose={() => toggle(one.id)}
              />
            ))}
          </Table>
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
        <button
          key={reason}
          type="button"
          class="chip"
          aria-pressed={reason === selected}
          onClick={() => setQuery({ reason: reason === selected ? undefined : reason })}
        >
          {reason} <span class="digits">{count}</span>
        </button>
      ))}
    </div>
  );
}

interface RowProps {
  letter: DeadLetter;
  chosen: boolean;
  onChoose: () => void;
}

/** One dead letter of the table, and its record on demand. */
function DeadLetterRow({ letter, chosen, onChoose }: RowProps) {
  const box = (
    <td>
      <input type="checkbox" checked={chosen} onChange={onChoose} aria-label={`Select ${letter.id}`} />
    </td>
  );
  return (
    <ExpandableRow
      time={letter.created_at}
      first={box}
      columnCount={columns.length}
      detail={<Detail letter={letter} />}
    >
      <td>
        <code>{letter.reason}</code>
      </td>
      <td>
        <Source source={letter.source} />
      </td>
      <td>
        <a href={hrefOf(['streams', letter.stream])}>{letter.stream}</a>
      </td>
      <td class="error">
        <Text value={letter.error.slice(0, 200)} />
      </td>
      <td>
        <Time value={letter.replayed_at} />
      </td>
    </ExpandableRow>
  );
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

function Source({ source }: { source: string }) {
  const [, kind, name] = /^(projection|pipeline):(.+)$/.exec(source) ?? [];
  return kind && name ? <a href={hrefOf([`${kind}s`, name])}>{source}</a> : <>{source}</>;
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
  return (
    <section class="card" aria-label="Replay">
      <div class="card-head">
        <h2>{ids.length} selected</h2>
        <span class="inline">
          <button type="button" onClick={() => dry.run()} disabled={dry.running}>
            Dry run
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => replay.run()}
            disabled={!result || replay.running}
          >
            Replay
          </button>
        </span>
      </div>
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
    </section>
  );
}
