import { useEffect, useState } from 'preact/hooks';
import type { ProjectionKeyState } from '#client';
import { endsSession } from '../app/resource.js';
import { client } from '../app/session.js';
import { Problem } from '../parts/problem.js';
import { Empty } from '../parts/states.js';
import { StateTable } from './state-table.js';

const mostLiveKeys = 200;

/** The states that changed last, as they change. */
export function LiveStates({
  name,
  fields,
  prefix = '',
}: {
  name: string;
  fields: readonly string[];
  prefix?: string;
}) {
  const [states, setStates] = useState<readonly ProjectionKeyState[]>([]);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const controller = new AbortController();
    let latest = new Map<string, ProjectionKeyState>();
    let changed = false;
    const read = async () => {
      for await (const change of client.value.projections.changes(name, {
        snapshot: true,
        signal: controller.signal,
      })) {
        if (change.type === 'reset') latest = new Map();
        if (change.type === 'change' && change.key.startsWith(prefix)) {
          latest.delete(change.key);
          latest.set(change.key, change);
          if (latest.size > mostLiveKeys) latest.delete(latest.keys().next().value!);
        }
        changed = true;
      }
    };
    read().catch((error: unknown) => {
      if (!controller.signal.aborted && !endsSession(error)) setError(error);
    });
    const timer = setInterval(() => {
      if (changed) setStates([...latest.values()].reverse());
      changed = false;
    }, 50);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [name, prefix]);
  if (error !== undefined) return <Problem error={error} />;
  if (states.length === 0) return <Empty title="Waiting for changes." />;
  return (
    <>
      <p class="muted small" role="status">
        Live: the {mostLiveKeys} keys that changed last
      </p>
      <StateTable states={states} fields={fields} />
    </>
  );
}
