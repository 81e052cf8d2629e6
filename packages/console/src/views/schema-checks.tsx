import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DataValidationResult, Schema, SchemaAddress, SchemaCheckResult } from '#client';
import { useAction, type AsyncAction } from '../app/resource.js';
import { client } from '../app/session.js';
import { pastedData } from '../logic/pasted-data.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Field, Form, TextArea } from '../parts/form.js';
import { Card } from '../parts/page.js';
import { Problem } from '../parts/problem.js';
import { Status, Text } from '../parts/values.js';

/** Asks whether data matches a version. Nothing is written. */
export function CheckData({ address, version }: { address: SchemaAddress; version: number }) {
  const [text, setText] = useState('');
  const [result, setResult] = useState<DataValidationResult>();
  const check = useAction(async () => {
    setResult(undefined);
    const dataText = pastedData(text);
    setResult(await client.value.schemas.validate(address, { dataText, version }));
  });
  const paste = useAction(async () => {
    const { items } = await client.value.events({ ...address, order: 'desc', limit: 1 }).first();
    if (items[0]) setText(items[0].dataText);
  });
  return (
    <CheckForm
      title="Check data"
      label="Data of an event, or a whole event"
      placeholder={'{"amount": 12.50}'}
      text={text}
      setText={setText}
      check={check}
      more={<Button action={paste}>Paste the latest event</Button>}
    >
      <Problem error={paste.error} />
      {result && (
        <Result isGood={result.valid} errors={result.errors}>
          {result.valid
            ? `It matches version ${result.version}.`
            : `It does not match version ${result.version}: a write is refused with ${result.code}.`}
        </Result>
      )}
    </CheckForm>
  );
}

/** Asks whether a schema would be accepted as the next version. Nothing is registered. */
export function CheckSchema({ address }: { address: SchemaAddress }) {
  const [text, setText] = useState('');
  const [result, setResult] = useState<SchemaCheckResult>();
  const check = useAction(async () => {
    setResult(undefined);
    const schema = JSON.parse(text) as object as Schema['schema'];
    setResult(await client.value.schemas.check(address, { schema }));
  });
  return (
    <CheckForm
      title="Check a next version"
      label="JSON Schema"
      placeholder={'{"type": "object", "required": ["amount"]}'}
      text={text}
      setText={setText}
      check={check}
    >
      {result && (
        <Result isGood={result.compatible} errors={result.errors}>
          {result.compatible
            ? `It would be version ${result.version}.`
            : `It is not compatible (${result.compatibility}).`}
        </Result>
      )}
    </CheckForm>
  );
}

interface CheckFormProps {
  title: string;
  label: string;
  placeholder: string;
  text: string;
  setText: (text: string) => void;
  check: AsyncAction<[]>;
  more?: ComponentChildren;
  children: ComponentChildren;
}

function CheckForm({ title, label, placeholder, text, setText, check, more, children }: CheckFormProps) {
  return (
    <Card title={title}>
      <Form onSubmit={check.run}>
        <Field name={label}>
          <TextArea rows={5} value={text} placeholder={placeholder} onText={setText} />
        </Field>
        <p class="buttons">
          {more}
          <button type="submit" disabled={check.running || text.trim() === ''}>
            Check
          </button>
        </p>
      </Form>
      <Problem error={check.error} />
      {children}
    </Card>
  );
}

interface ResultProps {
  isGood: boolean;
  children: string;
  errors: readonly { pointer: string; detail: string }[];
}

function Result({ isGood, errors, children }: ResultProps) {
  return (
    <div role="status">
      <p>
        <Status value={isGood ? 'ok' : 'failed'} /> {children}
      </p>
      <ul>
        {errors.map(({ pointer, detail }) => (
          <li key={pointer + detail}>
            <code>{visibleText(pointer)}</code> <Text value={detail} />
          </li>
        ))}
      </ul>
    </div>
  );
}
