import type { ComponentChildren } from 'preact';
import { useAction } from '../app/resource.js';
import { visibleText } from '../logic/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { Problem } from '../parts/problem.js';

interface JobActionsProps {
  job: { name: string; status: string };
  jobs: Record<'pause' | 'resume' | 'reset', (name: string) => Promise<unknown>>;
  /** Name of the action that starts the job again. */
  restart: string;
  reload: () => void;
  /** What a restart does. */
  children: ComponentChildren;
}

/** Pauses, resumes and restarts a projection or a pipeline. */
export function JobActions({ job: { name, status }, jobs, restart, reload, children }: JobActionsProps) {
  const isStopped = status === 'paused' || status === 'failed';
  const toggle = useAction(async () => {
    await (isStopped ? jobs.resume(name) : jobs.pause(name));
    reload();
  });
  const reset = useAction(async () => {
    await jobs.reset(name);
    reload();
  });
  return (
    <>
      <button type="button" onClick={() => toggle.run()} disabled={toggle.running}>
        {isStopped ? 'Resume' : 'Pause'}
      </button>
      <Confirm label={restart} title={`${restart} ${name}`} action={reset}>
        <p>{children}</p>
      </Confirm>
      <Problem error={toggle.error} />
    </>
  );
}

/** Why a projection or a pipeline has failed, if it has, and how it continues. */
export function Failure({ text }: { text: string | null | undefined }) {
  if (!text) return null;
  return (
    <p class="problem">{visibleText(text)} Remove the cause, then resume it: it continues at its position.</p>
  );
}
