import { useState } from 'preact/hooks';
import { useAction } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { grouped } from '../logic/format.js';
import {
  failureReasons,
  replayAll,
  replayText,
  type ReplayResult,
  type ReplaySelection,
} from '../logic/replay.js';
import { Button } from '../parts/form.js';
import { Card } from '../parts/page.js';
import { Problem } from '../parts/states.js';
import { Text } from '../parts/values.js';

interface ReplayPanelProps {
  /** The selected dead letters. */
  ids: readonly string[];
  /** The source that the list is limited to. */
  source?: string;
  onReplayed: () => void;
}

/** Replays the selected dead letters, or all of a source, after a dry run, and shows what happened. */
export function ReplayPanel({ ids, source, onReplayed }: ReplayPanelProps) {
  const [result, setResult] = useState<ReplayResult>();
  const projection = projectionOf(source);
  const done = (result: ReplayResult) => {
    setResult(result);
    if (!result.dry_run) onReplayed();
  };
  return (
    <Card title="Replay">
      {ids.length === 0 && source === undefined && (
        <p class="muted small">Select dead letters, or a source to replay all of it.</p>
      )}
      {ids.length > 0 && (
        <Target
          key={ids.join()}
          title={`${grouped(ids.length)} selected`}
          label="Replay selected"
          selection={{ ids }}
          onResult={done}
        />
      )}
      {source !== undefined && projection === undefined && (
        <Target
          key={source}
          title={`All of ${source} that have not been replayed`}
          label="Replay all of this source"
          selection={{ source }}
          onResult={done}
        />
      )}
      {projection !== undefined && <RebuildHint projection={projection} />}
      {result && <Result of={result} />}
    </Card>
  );
}

interface TargetProps {
  title: string;
  label: string;
  selection: ReplaySelection;
  onResult: (result: ReplayResult) => void;
}

function Target({ title, label, selection, onResult }: TargetProps) {
  const [isTried, setTried] = useState(false);
  const run = async (dryRun: boolean) => {
    onResult(await replayAll(selection, (input) => client.value.deadLetters.replay(input, { dryRun })));
    setTried(dryRun);
  };
  const dry = useAction(() => run(true));
  const replay = useAction(() => run(false));
  return (
    <div class="card-head replay-target">
      <Text value={title} />
      <span class="inline">
        <Button action={dry} disabled={dry.running || replay.running}>
          Dry run
        </Button>
        <Button action={replay} class="primary" disabled={!isTried || dry.running || replay.running}>
          {label}
        </Button>
      </span>
      <Problem error={dry.error ?? replay.error} />
      {!isTried && (
        <p class="muted small">A dry run shows what the replay would do. The replay follows it.</p>
      )}
    </div>
  );
}

/** The reasons and the ids of each that are shown at most. */
const mostShown = 20;

function Result({ of: result }: { of: ReplayResult }) {
  const reasons = failureReasons(result.failed);
  return (
    <div role="status" class="replay-result">
      <p>{replayText(result)}</p>
      {!result.dry_run && result.replayed > 0 && (
        <p class="muted small">
          A dead letter of a pipeline continues at the operator that failed. If it fails again, the list shows
          a new dead letter.
        </p>
      )}
      <ul class="reasons">
        {reasons.slice(0, mostShown).map(([detail, ids]) => (
          <li key={detail}>
            <Text value={detail} /> <span class="muted">({grouped(ids.length)})</span>
            <br />
            <code class="muted small">
              {ids.slice(0, mostShown).join(', ')}
              {ids.length > mostShown && ' …'}
            </code>
          </li>
        ))}
      </ul>
      {reasons.length > mostShown && <p class="muted small">{reasons.length - mostShown} more reasons</p>}
    </div>
  );
}

/** Returns the name of the projection that a source is; undefined if it is another source. */
export function projectionOf(source = ''): string | undefined {
  return /^projection:(.+)$/.exec(source)?.[1];
}

/** What to do about the dead letters of a projection, which no replay takes. */
export function RebuildHint({ projection }: { projection: string }) {
  return (
    <p>
      A dead letter of a projection cannot be replayed. Remove the cause, then choose Rebuild in the view of{' '}
      <a href={hrefOf(['projections', projection])}>
        <Text value={projection} />
      </a>
      : the new version folds the event from its stream if it can.
    </p>
  );
}
