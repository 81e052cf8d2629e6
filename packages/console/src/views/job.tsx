import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { PipelineWithStats, ProjectionWithStats } from '#client';
import { useAction, useResource, type LoadableData } from '../app/resource.js';
import { useMay } from '../app/permissions.js';
import { hrefOf, navigate, setQuery } from '../app/router.js';
import { client, type ExactAnswer } from '../app/session.js';
import { duration, grouped } from '../logic/format.js';
import { visibleText } from '../logic/visible-text.js';
import { Confirm } from '../parts/confirm.js';
import { Button } from '../parts/form.js';
import { numberColumn, type Column } from '../parts/table.js';
import { Link, ShortText, Status, Text, titleOf } from '../parts/values.js';

/** The kinds of definitions that run on streams, by their names in the API. */
export type JobKind = 'pipelines' | 'projections';

/** The kinds of definitions that have an editor, and are paused, resumed and deleted. */
export type EditableKind = JobKind | 'subscriptions';

type Job = ProjectionWithStats | PipelineWithStats;

/** Returns the columns of a list of projections or pipelines, with these counters before those that all have. */
export function jobColumns<T extends Job>(
  kind: JobKind,
  counters: readonly (keyof T & string)[],
): Column<T>[] {
  const singular = kind.slice(0, -1);
  return [
    {
      name: titleOf(singular),
      isHeading: true,
      value: ({ name }) => name,
      cell: ({ name }) => <Link href={hrefOf([kind, name])} text={name} />,
    },
    { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status value={status} /> },
    { name: 'Streams', value: streamsText, cell: (job) => <Text value={streamsText(job)} /> },
    ...counters.map((name) => numberColumn<T>(titleOf(name), (job) => job[name] as number)),
    {
      ...numberColumn<T>('Failed', ({ failed }) => failed),
      cell: ({ name, failed }) =>
        failed === 0 ? (
          0
        ) : (
          <a href={hrefOf(['dead-letters'], { source: `${singular}:${name}` })}>{grouped(failed)}</a>
        ),
    },
    numberColumn('Lag', ({ lag }) => lag),
    numberColumn('Lag time', ({ lag_seconds }) => lag_seconds, { show: duration, total: 'largest' }),
  ];
}

function streamsText({ source }: Job): string {
  return source.streams.join(', ');
}

/** The errors of at most this number of jobs are loaded for a list. */
const mostErrors = 20;

/** Milliseconds between two loads of the errors, however many jobs fail meanwhile. */
const errorsEveryMs = 30_000;

/** The last error of a job, and its count of failures when the error was loaded. */
interface LastError {
  failed: number;
  text: string;
}

type LastErrors = ReadonlyMap<string, LastError>;

/**
 * Returns the column of the last error of each job: why it cannot continue, or the error of its latest dead letter.
 * @param errorOf returns why a job cannot continue
 */
export function useErrorColumn<T extends Job>(
  kind: 'projection' | 'pipeline',
  jobs: readonly T[] = [],
  errorOf: (job: T) => string | null | undefined,
): Column<T> {
  const failing = jobs.filter((job) => job.failed > 0 && !errorOf(job)).slice(0, mostErrors);
  const latest = useRef<{ failing: readonly T[]; errors: LastErrors }>({ failing, errors: new Map() });
  latest.current.failing = failing;
  const load = async (signal: AbortSignal) => {
    const { failing, errors } = latest.current;
    return (latest.current.errors = await latestErrors({ kind, failing, before: errors }, signal));
  };
  const errors = useResource(load, [failing.map(({ name }) => name)], {
    skip: failing.length === 0,
    everyMs: errorsEveryMs,
  });
  const shown = (job: T) => errorOf(job) || (job.failed > 0 ? errors.data?.get(job.name)?.text : undefined);
  return {
    name: 'Last error',
    value: shown,
    class: 'short-error',
    cell: (job) => <ShortText value={shown(job)} />,
  };
}

interface FailingJobs {
  kind: string;
  failing: readonly Job[];
  /** The errors that were loaded before. */
  before: LastErrors;
}

/**
 * Reads the newest dead letters, as many as there are jobs, in one request. A job that failed again and has none of them
 * needs a request of its own.
 */
async function latestErrors(
  { kind, failing, before }: FailingJobs,
  signal: AbortSignal,
): Promise<LastErrors> {
  const { items } = await client.value.deadLetters.list({ limit: mostErrors }, { signal }).first();
  const read = async ({ name, failed }: Job): Promise<readonly [string, LastError]> => {
    const source = `${kind}:${name}`;
    const newest = items.find((letter) => letter.source === source);
    if (newest) return [name, { failed, text: newest.error }];
    const known = before.get(name);
    if (known?.failed === failed) return [name, known];
    const own = await client.value.deadLetters.list({ source, limit: 1 }, { signal }).first();
    return [name, { failed, text: own.items[0]?.error ?? '' }];
  };
  return new Map(await Promise.all(failing.map(read)));
}

interface DefinitionActionsProps {
  kind: EditableKind;
  of: LoadableData<ExactAnswer<{ name: string; status: string }>>;
  /** Further actions, before the last one. */
  children?: ComponentChildren;
}

/** What each change of a definition does. */
const effects = {
  projections: {
    pause: 'The projection stops within moments. Its states can be read and do not change.',
    resume: 'The projection continues where it stopped, and misses no event.',
    delete: 'The projection and all its states are removed. Its dead letters and the events remain.',
  },
  pipelines: {
    pause: 'The pipeline stops within moments. Its windows stay open.',
    resume: 'The pipeline continues where it stopped, and misses no event.',
    delete:
      'The pipeline and its open windows are removed. The events that it has emitted and its dead letters remain.',
  },
  subscriptions: {
    pause: 'Workers get no events any more. They can still acknowledge those that they have.',
    resume: 'The subscription continues where it stopped, and misses no event.',
    delete:
      'The subscription is removed with its position and its parked events. The events remain in their streams.',
  },
} as const;

const restarts = {
  projections: [
    'Rebuild',
    'A new version is built from the log. The present one serves until the new one is complete.',
  ],
  pipelines: [
    'Reset',
    'The pipeline restarts from its beginning and emits everything again, as new events. Its open windows are discarded.',
  ],
} as const;

/** Edits, pauses, resumes, restarts and deletes a projection or a pipeline, if the caller may change definitions. */
export function JobActions({ kind, of }: Omit<DefinitionActionsProps, 'kind'> & { kind: JobKind }) {
  const { name = '' } = of.data?.value ?? {};
  const reset = useAction(async () => {
    await client.value[kind].reset(name);
    await of.reload();
  });
  const [label, effect] = restarts[kind];
  return (
    <DefinitionActions kind={kind} of={of}>
      <Confirm label={label} title={`${label} ${name}`} action={reset}>
        <p>{effect}</p>
      </Confirm>
    </DefinitionActions>
  );
}

/** Edits, pauses, resumes and deletes what has a definition, if the caller may change definitions. */
export function DefinitionActions({ kind, of: { data, reload }, children }: DefinitionActionsProps) {
  const may = useMay('definitions:write');
  const definitions = client.value[kind];
  const { name = '', status = '' } = data?.value ?? {};
  const isStopped = status === 'paused' || status === 'failed';
  const toggle = useAction(async () => {
    await (isStopped ? definitions.resume(name) : definitions.pause(name));
    await reload();
  });
  const remove = useAction(async () => {
    await definitions.delete(name);
    navigate(hrefOf([kind]));
  });
  if (!data || !may) return null;
  const effect = effects[kind];
  const toggleLabel = isStopped ? 'Resume' : 'Pause';
  return (
    <>
      <Button onClick={() => setQuery({ edit: true })}>Edit</Button>
      {/* The dialog closes when the status changes: it would do the opposite. */}
      <Confirm key={toggleLabel} label={toggleLabel} title={`${toggleLabel} ${name}`} action={toggle}>
        <p>{isStopped ? effect.resume : effect.pause}</p>
      </Confirm>
      {children}
      <Confirm label="Delete" title={`Delete ${name}`} typed={name} danger action={remove}>
        <p>{effect.delete} This cannot be undone.</p>
      </Confirm>
    </>
  );
}

/** A button of a list that opens the editor for a new definition. */
export function NewButton({ kind }: { kind: EditableKind }) {
  if (!useMay('definitions:write')) return null;
  return (
    <Button class="primary" onClick={() => setQuery({ new: true })}>
      New {kind.slice(0, -1)}
    </Button>
  );
}

/** Why a projection, a pipeline or a subscription has failed, if it has, and how it continues. */
export function Failure({ text }: { text: string | null | undefined }) {
  if (!text) return null;
  return (
    <p class="problem">{visibleText(text)} Remove the cause, then resume it: it continues at its position.</p>
  );
}
