import { useState } from 'preact/hooks';
import type { DeadLetter } from '#client';
import { usePages } from '../app/resource.js';
import { place, setQuery } from '../app/router.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { Page } from '../parts/page.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { UrlField } from '../parts/url-field.js';
import { DeadLetterRow } from './dead-letter-row.js';
import { ReplayPanel } from './replay-panel.js';

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
      <form class="inline" onSubmit={(event) => event.preventDefault()}>
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
              <DeadLetterRow
                key={one.id}
                letter={one}
                columnCount={columns.length}
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
