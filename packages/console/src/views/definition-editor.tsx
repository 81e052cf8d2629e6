import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { ProblemError } from '#client';
import { useAction, useResource } from '../app/resource.js';
import { hrefOf, navigate, setQuery } from '../app/router.js';
import { client, loadOpenApi } from '../app/session.js';
import { locatedErrors, type LocatedError } from '../logic/definition-errors.js';
import { templateNames, templateOf } from '../logic/definition-templates.js';
import { discardedBy } from '../logic/discarded-state.js';
import { completionsOf, type CompletionsAt, type ResourceNames } from '../logic/json-completion.js';
import { memberText, textAt } from '../logic/json-tree.js';
import { prettyJson } from '../logic/pretty-json.js';
import { tributary } from '../logic/shell.js';
import { visibleText } from '../logic/visible-text.js';
import { CodeEditor } from '../parts/code-editor.js';
import { Confirm } from '../parts/confirm.js';
import { Diff } from '../parts/diff.js';
import { Button, Select } from '../parts/form.js';
import { Card, Page } from '../parts/page.js';
import { Loading, Problem } from '../parts/states.js';
import { DryRunPanel } from './dry-run.js';
import type { EditableKind } from './job.js';

const schemaNames = {
  pipelines: ['PipelineInput', 'PipelineReplacementInput'],
  projections: ['ProjectionInput', 'ProjectionReplacementInput'],
  subscriptions: ['SubscriptionInput', 'SubscriptionInput'],
} as const;

/** The saved definition that an editor changes. */
export interface SavedDefinition {
  name: string;
  version: number;
  text: string;
}

/** An editor for a new definition, with templates to begin with. */
export function NewDefinition({ kind }: { kind: EditableKind }) {
  const names = useNames();
  return (
    <Page
      title={`New ${kind.slice(0, -1)}`}
      about={startOf[kind]}
      actions={<Button onClick={() => navigate(hrefOf([kind]))}>Cancel</Button>}
      calls={[[`/api/v1/${kind}`, undefined, tributary('get', [kind])]]}
    >
      {names ? <FromTemplate kind={kind} names={names} /> : <Loading />}
    </Page>
  );
}

function FromTemplate({ kind, names }: { kind: EditableKind; names: ResourceNames }) {
  const [template, setTemplate] = useState(templateNames(kind)[0]!);
  const stream = names.streams.find((name) => !name.startsWith('tributary.')) ?? 'orders';
  const beginning = useMemo(() => {
    const definition = { name: `my_${kind.slice(0, -1)}`, ...templateOf(kind, template, stream) };
    return prettyJson(JSON.stringify(definition));
  }, [template]);
  const [text, setText] = useState(beginning);
  const create = useAction(async () => {
    const { name } = await defined(kind, text);
    navigate(hrefOf([kind, name]));
  });
  const options = templateNames(kind).map((name) => [name, name] as const);
  const controls = (
    <span class="inline">
      begin with <Select name="Template" isHidden value={template} options={options} onSelect={setTemplate} />
    </span>
  );
  const editing = { kind, beginning, text, onText: setText, error: create.error, controls };
  return (
    <Editing {...editing} names={names} isNew>
      <Problem error={create.error} />
      <p class="buttons">
        <Button class="primary" action={create}>
          Create
        </Button>
      </p>
    </Editing>
  );
}

function defined(kind: EditableKind, jsonText: string): Promise<{ name: string }> {
  if (kind !== 'subscriptions') return client.value[kind].define({ jsonText });
  const name = isJson(jsonText) ? memberText(jsonText, 'name') : undefined;
  if (!name?.startsWith('"')) throw new Error('The definition needs a `name`.');
  return client.value.subscriptions.define(JSON.parse(name) as string, { jsonText });
}

const startOf = {
  pipelines: 'It starts as soon as it is created, and creates the streams that it writes to.',
  projections: 'It starts as soon as it is created. Its states can be read once it has caught up.',
  subscriptions:
    'Workers receive its events over HTTP. Unless the definition says otherwise, it begins with the next event.',
};

interface EditDefinitionProps {
  kind: EditableKind;
  saved: SavedDefinition;
  /** Is called after the new version was saved. Resolves when it is shown. */
  onSaved: () => Promise<void>;
}

/** An editor for the next version of a definition. */
export function EditDefinition({ kind, saved, onSaved }: EditDefinitionProps) {
  const [{ name, version, text: before }] = useState(saved);
  const [text, setText] = useState(before);
  const [fromBeginning, setFromBeginning] = useState(false);
  const save = useAction(async () => {
    const definition = { jsonText: text };
    if (kind === 'subscriptions') await client.value.subscriptions.define(name, definition);
    else if (kind === 'projections') await client.value.projections.replace(name, definition);
    else
      await client.value.pipelines.replace(
        name,
        definition,
        fromBeginning ? { from: 'beginning' } : undefined,
      );
    await onSaved();
    setQuery({ edit: undefined });
  });
  const names = useNames() ?? noNames;
  const isChanged = isJson(text) && text !== before;
  return (
    <>
      {saved.version !== version && (
        <p class="notice" role="status">
          Version {saved.version} was saved meanwhile. If you save, your definition replaces it.
        </p>
      )}
      <Editing kind={kind} beginning={before} text={text} onText={setText} error={save.error} names={names}>
        <p class="buttons">
          <Button onClick={() => setQuery({ edit: undefined })}>Cancel</Button>
          {isChanged ? (
            <Confirm label="Save" title={`Save ${name}`} action={save} wide>
              <Diff
                before={{ version, text: before }}
                after={{ version: version + 1, text: prettyJson(text) }}
              />
              <Effects kind={kind} before={before} after={text} fromBeginning={fromBeginning} />
              {kind === 'pipelines' && (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={fromBeginning}
                    onChange={() => setFromBeginning(!fromBeginning)}
                  />{' '}
                  Process everything again from the beginning
                </label>
              )}
            </Confirm>
          ) : (
            <Button disabled>Save</Button>
          )}
        </p>
      </Editing>
    </>
  );
}

interface EffectsProps {
  kind: EditableKind;
  before: string;
  after: string;
  fromBeginning: boolean;
}

/** What saving a definition does. */
function Effects({ kind, before, after, fromBeginning }: EffectsProps) {
  if (kind === 'projections')
    return <p>A new version is built from the log. The present one serves until the new one is complete.</p>;
  if (kind === 'subscriptions')
    return <p>The subscription continues at its position. What is out, waits or is parked stays.</p>;
  if (fromBeginning)
    return <p>A new job processes all events again and emits its results as different events.</p>;
  const discarded = discardedBy(before, after);
  return (
    <>
      <p>The new version continues where this one stopped: no event is processed twice or left out.</p>
      {discarded.length > 0 && (
        <p class="notice">
          These begin again, and what they hold now, such as open windows, is deleted:{' '}
          {discarded.map((pointer) => (
            <code key={pointer}>{visibleText(pointer)} </code>
          ))}
        </p>
      )}
    </>
  );
}

interface EditingProps {
  kind: EditableKind;
  names: ResourceNames;
  beginning: string;
  /** What is typed. */
  text: string;
  onText: (text: string) => void;
  /** The answer to the last attempt to save. */
  error: unknown;
  isNew?: boolean;
  controls?: ComponentChildren;
  children: ComponentChildren;
}

/** The editor with its errors and, for a pipeline, a dry run beside it. */
function Editing({ kind, text, error, controls, children, ...editing }: EditingProps) {
  const completionsAt = useCompletions(kind, editing);
  const [found, setFound] = useState<CheckResult>();
  const rejected = useMemo(() => ({ text, errors: errorsIn(text, error) }), [error]);
  const checks = useRef(0);
  const check = async (checked: string) => {
    const number = ++checks.current;
    const result = await checkOf(kind, checked);
    if (number === checks.current) setFound(result);
    return checked === rejected.text ? [...result.errors, ...rejected.errors] : result.errors;
  };
  return (
    <div class={kind === 'pipelines' ? 'editing' : ''}>
      <Card title="Definition" beside={controls}>
        <CodeEditor
          text={editing.beginning}
          label="Definition as JSON"
          onText={(text) => {
            // The answer to a check of the text before is ignored.
            checks.current++;
            setFound(undefined);
            editing.onText(text);
          }}
          check={check}
          completionsAt={completionsAt}
          errors={rejected.errors}
        />
        <Errors of={found} />
        {children}
      </Card>
      {kind === 'pipelines' && <DryRunPanel definition={text} />}
    </div>
  );
}

/** The errors of the definition, in words. */
function Errors({ of }: { of: CheckResult | undefined }) {
  return (
    <div role="status" class="editor-errors">
      {of?.isValid && <p class="muted small">The gateway finds no error in it.</p>}
      {of && of.errors.length > 0 && (
        <ul>
          {of.errors.map(({ pointer, message }) => (
            <li key={pointer + message}>
              <code>{visibleText(pointer)}</code> {visibleText(message)}
            </li>
          ))}
        </ul>
      )}
      <Problem error={of?.problem} />
    </div>
  );
}

interface CheckResult {
  errors: readonly LocatedError[];
  /** An answer that names no member. */
  problem?: unknown;
  isValid?: boolean;
}

/** Asks the gateway whether a definition is valid: a pipeline is run with one event. Nothing is written. */
async function checkOf(kind: EditableKind, text: string): Promise<CheckResult> {
  if (!isJson(text) || kind !== 'pipelines') return { errors: [] };
  const stream = textAt(text, ['source', 'streams', 0]) ?? '';
  const event = {
    stream: stream.startsWith('"') ? (JSON.parse(stream) as string) : 'unknown',
    event_type: 'check',
    data: {},
  };
  try {
    await client.value.pipelines.dryRun({ definition: { jsonText: text }, events: [event] });
    return { errors: [], isValid: true };
  } catch (error) {
    const errors = errorsIn(text, error);
    return errors.length > 0 ? { errors } : { errors, problem: error };
  }
}

function errorsIn(text: string, error: unknown): LocatedError[] {
  if (!(error instanceof ProblemError) || !isJson(text)) return [];
  return locatedErrors(text, error.problem.errors ?? []);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The editor marks where the text is not JSON.
    return false;
  }
}

/** Returns the names of streams and projections that the key may read; undefined until they are loaded. */
function useNames(): ResourceNames | undefined {
  const load = async (signal: AbortSignal): Promise<ResourceNames> => {
    const { streams, projections } = client.value;
    const [first, second] = await Promise.all([
      streams.list({ limit: 500 }, { signal }).first(),
      projections.list({ limit: 500 }, { signal }).first(),
    ]);
    return {
      streams: first.items.map(({ stream }) => stream),
      projections: second.items.map(({ name }) => name),
    };
  };
  const { data, error } = useResource(load, []);
  return data ?? (error === undefined ? undefined : noNames);
}

const noNames: ResourceNames = { streams: [], projections: [] };

const noCompletions: CompletionsAt = () => undefined;

/** Completions from the OpenAPI document of the gateway. A key that may not read the document gets none. */
function useCompletions(
  kind: EditableKind,
  { names, isNew }: Pick<EditingProps, 'names' | 'isNew'>,
): CompletionsAt {
  const document = useResource(loadOpenApi, []).data;
  return useMemo(
    () => (document ? completionsOf(document, schemaNames[kind][isNew ? 0 : 1], names) : noCompletions),
    [document, names],
  );
}
