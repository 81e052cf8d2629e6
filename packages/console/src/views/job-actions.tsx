import type { ComponentChildren } from 'preact';
import { useAction } from '../app/resource.js';
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
      {toggle.error !== undefined && <Problem error={toggle.error} />}
    </>
  );
}
