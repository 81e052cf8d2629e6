import { useState } from 'preact/hooks';
import type { Schema, SchemaAddress } from '#client';
import { useAction } from '../app/resource.js';
import { client } from '../app/session.js';
import { pastedData } from '../logic/json-tree.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Field, Form, TextArea } from '../parts/form.js';
import { Card } from '../parts/page.js';
import { Problem } from '../parts/states.js';
import { Status, Text } from '../parts/values.js';

/** Asks whether data matches a version. Nothing is written. */
export function CheckData({ address, version }: { address: SchemaAddress; version: number }) {
  const check = async (text: string) => {
    const checked = { dataText: pastedData(text), version };
    const result = await client.value.schemas.validate(address, checked);
    const { valid, code, errors } = result;
    const matches = `It matches version ${result.version}.`;
    const fails = `It does not match version ${result.version}: a write is refused with ${code}.`;
    return { isGood: valid, summary: valid ? matches : fails, errors };
  };
  const latest = async () => {
    const { items } = await client.value.events({ ...address, order: 'desc', limit: 1 }).first();
    return items[0]?.dataText;
  };
  return (
    <CheckForm
      title="Check data"
      label="Data of an event, or a whole event"
      placeholder={'{"amount": 12.50}'}
      check={check}
      latest={latest}
    />
  );
}

/** Asks whether a schema would be accepted as the next version. Nothing is registered. */
export function CheckSchema({ address }: { address: SchemaAddress }) {
  const check = async (text: string) => {
    const schema = JSON.parse(text) as object as Schema['schema'];
    const { compatible, version, compatibility, errors } = await client.value.schemas.check(address, {
      schema,
    });
    const accepted = `It would be version ${version}.`;
    const rejected = `It is not compatible (${compatibility}).`;
    return { isGood: compatible, summary: compatible ? accepted : rejected, errors };
  };
  return (
    <CheckForm
      title="Check a next version"
      label="JSON Schema"
      placeholder={'{"type": "object", "required": ["amount"]}'}
      check={check}
    />
  );
}

interface CheckResult {
  isGood: boolean;
  summary: string;
  errors: readonly { pointer: string; detail: string }[];
}

interface CheckFormProps {
  title: string;
  label: string;
  placeholder: string;
  check: (text: string) => Promise<CheckResult>;
  /** Returns the data of the latest event, if there is one. */
  latest?: () => Promise<string | undefined>;
}

function CheckForm({ title, label, placeholder, check, latest }: CheckFormProps) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ text: string; result: CheckResult }>();
  const submit = useAction(async () => {
    setFound(undefined);
    setFound({ text, result: await check(text) });
  });
  // What is typed meanwhile stays.
  const paste = useAction(async () => {
    const pasted = await latest?.();
    setText((now) => (now === text && pasted !== undefined ? pasted : now));
  });
  const result = found?.text === text ? found.result : undefined;
  return (
    <Card title={title}>
      <Form onSubmit={submit.run}>
        <Field name={label}>
          <TextArea rows={5} value={text} placeholder={placeholder} onText={setText} />
        </Field>
        <p class="buttons">
          {latest && <Button action={paste}>Paste the latest event</Button>}
          <button type="submit" disabled={submit.running || text.trim() === ''}>
            Check
          </button>
        </p>
      </Form>
      <Problem error={submit.error} />
      <Problem error={paste.error} />
      {result && (
        <div role="status">
          <p>
            <Status value={result.isGood ? 'ok' : 'failed'} /> {result.summary}
          </p>
          <ul>
            {result.errors.map(({ pointer, detail }) => (
              <li key={pointer + detail}>
                <code>{visibleText(pointer)}</code> <Text value={detail} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}
