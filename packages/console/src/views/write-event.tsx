import { useRef, useState } from 'preact/hooks';
import { ProblemError, type WrittenEvent } from '#client';
import { useMay } from '../app/permissions.js';
import { useAction } from '../app/resource.js';
import { client } from '../app/session.js';
import type { ViewTimes } from '../app/time-range.js';
import { locatedErrors } from '../logic/definition-errors.js';
import { grouped } from '../logic/format.js';
import type { CompletionsAt } from '../logic/json-completion.js';
import { CodeEditor } from '../parts/code-editor.js';
import { Field, Form, TextInput } from '../parts/form.js';
import { Problem } from '../parts/states.js';
import { Text } from '../parts/values.js';
import { useSuggestions } from './filter-suggestions.js';
import { Suggestions } from './stream-filters.js';

const ids = { type: 'types-to-write', entity: 'entities-to-write' };

interface WriteEventProps {
  stream: string;
  times: ViewTimes;
  onWritten: () => void;
}

/** A form that writes an event to a stream. Its data is checked against the schema of its type while it is typed. */
export function WriteEvent(props: WriteEventProps) {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('events:write')) return null;
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Write an event</summary>
      {isOpen && <EventForm {...props} />}
    </details>
  );
}

function EventForm({ stream, times, onWritten }: WriteEventProps) {
  const [type, setType] = useState('');
  const [entity, setEntity] = useState('');
  const [data, setData] = useState(beginning);
  const [written, setWritten] = useState<WrittenEvent>();
  const [verdict, setVerdict] = useState<string>();
  const { types, entities } = useSuggestions(stream, times, false);
  const write = useAction(async () => {
    setWritten(undefined);
    const event = { stream, event_type: type, entity_id: entity || null, dataText: data };
    setWritten(await client.value.write(event));
    // The view shows what is stored. If it does not become stored soon, the user refreshes it.
    const stored = { stream, limit: 1, wait_for: client.value.afterWrites(stream) };
    await client.value
      .events(stored)
      .first()
      .catch(() => undefined);
    onWritten();
  });
  const checks = useRef(0);
  /** Ignores the answer to a check of what was typed before. */
  const forgetCheck = () => {
    checks.current++;
    setVerdict(undefined);
  };
  const check = async (text: string) => {
    const number = ++checks.current;
    const result = await violationsOf(stream, type, text);
    if (number === checks.current) setVerdict(result?.summary);
    const errors = result?.errors ?? [];
    return locatedErrors(
      text,
      errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/data(?=\/|$)/, ''), detail })),
    );
  };
  return (
    <Form onSubmit={write.run}>
      <Suggestions id={ids.type} values={types} />
      <Suggestions id={ids.entity} values={entities} />
      <div class="grid">
        <Field name="Event type">
          <TextInput
            value={type}
            required
            maxLength={256}
            list={ids.type}
            onText={(text) => {
              forgetCheck();
              setType(text);
            }}
          />
        </Field>
        <Field name="Entity (empty: none)">
          <TextInput value={entity} maxLength={256} list={ids.entity} onText={setEntity} />
        </Field>
      </div>
      <CodeEditor
        text={beginning}
        label="Data as JSON"
        onText={(text) => {
          forgetCheck();
          setData(text);
        }}
        check={check}
        completionsAt={noCompletions}
        errors={noErrors}
        checkedFor={type}
      />
      <p class="muted small" role="status">
        {verdict ?? 'The data is checked against the schema of the type, if it has one.'}
      </p>
      <Problem error={write.error} />
      {written && <Written event={written} />}
      <p class="buttons">
        <button type="submit" class="primary" disabled={write.running}>
          Write
        </button>
      </p>
    </Form>
  );
}

const noCompletions: CompletionsAt = () => undefined;
const beginning = '{}';
const noErrors: readonly never[] = [];

function Written({
  event: { partition, offset, event_id, version, warnings = [] },
}: {
  event: WrittenEvent;
}) {
  return (
    <div class="notice" role="status">
      <p>
        Written to partition {partition} at offset {grouped(offset)}
        {version != null && `, version ${version}`}, as <code>{event_id}</code>.
      </p>
      {warnings.map((warning) => (
        <p key={warning}>
          <Text value={warning} />
        </p>
      ))}
    </div>
  );
}

/** Asks whether data matches the current schema of an event type; undefined if it cannot be told. */
async function violationsOf(stream: string, event_type: string, dataText: string) {
  if (event_type === '') return undefined;
  try {
    const address = { stream, event_type };
    const { valid, version, errors } = await client.value.schemas.validate(address, { dataText });
    return {
      summary: `It ${valid ? 'matches' : 'does not match'} version ${version} of the schema.`,
      errors,
    };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const hasNone = error.status === 404;
    return { summary: hasNone ? 'This type has no schema.' : error.problem.detail, errors: [] };
  }
}
