import { useState } from 'preact/hooks';
import type { DeadLetter, Replay } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { hrefOf, place, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { visibleText } from '../logic/visible-text.js';
import { one } from '../logic/url-state.js';
import { LongText } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Problem } from '../parts/problem.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { UrlField } from '../parts/url-field.js';
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
    {
      everyMs: 30_000,
    },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = letters.data?.items.filter((one) => reason === undefined || one.reason === reason) ?? [];
  const calls = [
    {
      ...{ path: '/api/v1/dead-letters', query: { source, replayed } },
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
      <form class="inline filters-line" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span class="sr">Source</span>
          <UrlField parameter="source" value={source} placeholder="Source: pipeline:NAME" />
        </label>
        <label>
          <span class="sr">Replayed</span>
          <select value={state ?? ''} onChange={(event) => setQuery({ replayed: event.currentTarget.value })}>
            <option value="">Replayed or not</option>
            <option value="no">Not replayed</option>
            <option value="yes">Replayed</option>
          </select>
        </label>
      </form>
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
              <Row key={one.id} letter={one} chosen={chosen.has(one.id)} onChoose={() => toggle(one.id)} />
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

function Row({ letter, chosen, onChoose }: { letter: DeadLetter; chosen: boolean; onChoose: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr class={open ? 'open' : undefined}>
        <td>
          <input type="checkbox" checked={chosen} onChange={onChoose} aria-label={`Select ${letter.id}`} />
        </td>
        <td class="nowrap">
          <button type="button" class="expand" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span class="caret" aria-hidden="true" />
            <Time value={letter.created_at} />
          </button>
        </td>
        <td>
          <code>{letter.reason}</code>
        </td>
        <td>
          <Source source={letter.source} />
        </td>
        <td>
          <a href={hrefOf(['streams', letter.stream])}>{letter.stream}</a>
        </td>
        <td class="data">
          <Text value={letter.error.slice(0, 200)} />
        </td>
        <td>
          <Time value={letter.replayed_at} />
        </td>
      </tr>
      {open && (
        <tr class="detail">
          <td colSpan={columns.length}>
            <dl class="facts">
              <div>
                <dt>Id</dt>
                <dd>{letter.id}</dd>
              </div>
              <div>
                <dt>Partition and offset</dt>
                <dd>
                  {letter.partition}:{letter.offset}
                </dd>
              </div>
              {letter.operator !== null && (
                <div>
                  <dt>Operator</dt>
                  <dd>
                    <code>{letter.operator}</code>
                  </dd>
                </div>
              )}
              <div>
                <dt>Error</dt>
                <dd>
                  <LongText text={visibleText(letter.error)} />
                </dd>
              </div>
            </dl>
            <h3>Record</h3>
            <LongText text={visibleText(letter.event)} class="mono" />
          </td>
        </tr>
      )}
    </>
  );
}

function Source({ source }: { source: string }) {
  const [, kind, name] = /^(projection|pipeline):(.+)$/.exec(source) ?? [];
  return kind && name ? <a href={hrefOf([`${kind}s`, name])}>{source}</a> : <>{source}</>;
}

/** Replays the selected dead letters, after a dry run. */
function ReplayPanel({ ids, onDone }: { ids: string[]; onDone: () => void }) {
  const [tried, setTried] = useState<{ ids: string; result: Replay }>();
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
      {[dry.error, replay.error].map((error, i) => error !== undefined && <Problem key={i} error={error} />)}
    </section>
  );
}
