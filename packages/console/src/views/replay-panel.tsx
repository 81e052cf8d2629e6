import { useState } from 'preact/hooks';
import type { ReplayReport } from '#client';
import { useAction } from '../app/resource.js';
import { client } from '../app/session.js';
import { Problem } from '../parts/problem.js';
import { Text } from '../parts/values.js';

/** Replays the selected dead letters, after a dry run. */
export function ReplayPanel({ ids, onDone }: { ids: string[]; onDone: () => void }) {
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
      {[dry.error, replay.error].map((error, i) => error !== undefined && <Problem key={i} error={error} />)}
    </section>
  );
}
