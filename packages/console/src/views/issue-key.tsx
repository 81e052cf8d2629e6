import { useState } from 'preact/hooks';
import type { IssuedApiKey, ApiKeyScope } from '#client';
import { useAction } from '../app/resource.js';
import { client } from '../app/session.js';
import { Field, Form, TextInput } from '../parts/form.js';
import { Problem } from '../parts/problem.js';

const scopes: readonly ApiKeyScope[] = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'sql:read',
  'admin',
];

/** The form that issues an API key. */
export function IssueKey({ onIssued }: { onIssued: (key: IssuedApiKey) => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly ApiKeyScope[]>(['events:read']);
  const [streams, setStreams] = useState('');
  const issue = useAction(async () => {
    const limited = streams.split(/[\s,]+/).filter(Boolean);
    const restriction = limited.length > 0 && { streams: limited };
    onIssued(await client.value.keys.issue({ name, scopes: [...chosen], ...restriction }));
    setName('');
  });
  const toggle = (scope: ApiKeyScope) =>
    setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope]);
  return (
    <details class="card">
      <summary>Issue a key</summary>
      <Form onSubmit={issue.run}>
        <div class="grid">
          <Field name="Name">
            <TextInput value={name} required maxLength={100} onText={setName} />
          </Field>
          <Field name="Streams (empty: all)">
            <TextInput value={streams} placeholder="orders, payments.*" onText={setStreams} />
          </Field>
        </div>
        <fieldset class="checks">
          <legend>Scopes</legend>
          {scopes.map((scope) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />{' '}
              {scope}
            </label>
          ))}
        </fieldset>
        <Problem error={issue.error} />
        <p class="buttons">
          <button type="submit" class="primary" disabled={issue.running || chosen.length === 0}>
            Issue
          </button>
        </p>
      </Form>
    </details>
  );
}
