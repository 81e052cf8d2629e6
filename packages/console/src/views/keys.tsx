import { useState } from 'preact/hooks';
import type { ApiKey, ApiKeyScope, IssuedApiKey } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { client, mayWrite } from '../app/session.js';
import { expiresSoon, keyLimits, type KeyForm } from '../logic/key-input.js';
import { Command } from '../parts/calls.js';
import { Confirm } from '../parts/confirm.js';
import { Button, Field, Form, TextInput } from '../parts/form.js';
import { refreshMs } from '../parts/list.js';
import { Card, ListPage } from '../parts/page.js';
import { Problem } from '../parts/states.js';
import { numberColumn, type Column } from '../parts/table.js';
import { Ago, Status, Text } from '../parts/values.js';

/** API keys: what each may do, and who may issue, rotate and revoke them. */
export function KeysView() {
  const keys = usePages((cursor) => client.value.keys.list({ cursor, limit: 500 }), [], {
    everyMs: refreshMs,
  });
  const [issued, setIssued] = useState<IssuedApiKey>();
  const done = (key?: IssuedApiKey) => {
    setIssued(key);
    void keys.reload();
  };
  // The list needs the scope that its actions need: a key without it sees neither.
  const mayChange = mayWrite.value && keys.data !== undefined;
  const columns: readonly Column<ApiKey>[] = [
    ...keyColumns,
    ...(mayChange
      ? [
          {
            name: '',
            class: 'actions-cell',
            cell: (key: ApiKey) => key.status === 'active' && <KeyActions of={key} onChange={done} />,
          },
        ]
      : []),
  ];
  const ending = (keys.data?.items ?? []).filter((key) => expiresSoon(key, Date.now()));
  return (
    <ListPage
      title="Keys"
      about="API keys of the query port."
      of={keys}
      columns={columns}
      keyOf={({ key_id }) => key_id}
      textOf={({ name, key_id }) => `${name} ${key_id}`}
      empty="No key has been issued."
      hint="Keys of the setting API_KEYS are not listed."
    >
      {ending.length > 0 && (
        <p class="notice" role="status">
          {ending.length === 1 ? 'A key expires' : `${ending.length} keys expire`} within 7 days:{' '}
          <Text
            value={ending
              .map(({ name }) => name)
              .slice(0, 10)
              .join(', ')}
          />
          {ending.length > 10 && ' …'}. Issue another key before: a rotation does not change when a key
          expires.
        </p>
      )}
      {issued && <Secret issued={issued} onClose={() => setIssued(undefined)} />}
      {mayChange && <IssueKey onIssued={done} />}
    </ListPage>
  );
}

const keyColumns: readonly Column<ApiKey>[] = [
  {
    name: 'Key',
    isHeading: true,
    value: ({ name }) => name,
    cell: ({ name, key_id }) => (
      <>
        <Text value={name} />
        <br />
        <code class="muted small">{key_id}</code>
      </>
    ),
  },
  { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status value={status} /> },
  {
    name: 'Scopes',
    value: ({ scopes }) => scopes.join(' '),
    cell: ({ scopes }) => (
      <span class="chips">
        {scopes.map((scope) => (
          <code key={scope} class="chip">
            {scope}
          </code>
        ))}
      </span>
    ),
  },
  {
    name: 'Streams',
    value: ({ streams }) => streams?.join(', '),
    cell: ({ streams }) => (streams === null ? 'all' : streams.join(', ')),
  },
  numberColumn('Events/s', ({ rate_limit }) => rate_limit?.events_per_second),
  numberColumn('Requests/s', ({ rate_limit }) => rate_limit?.requests_per_second),
  {
    name: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Ago value={created_at} />,
  },
  { name: 'Expires', value: ({ expires_at }) => expires_at, cell: expiryOf },
];

function expiryOf(key: ApiKey) {
  if (key.expires_at === null) return 'never';
  const time = <Ago value={key.expires_at} />;
  return expiresSoon(key, Date.now()) ? <span class="status warn">{time}</span> : time;
}

const everyScope: readonly ApiKeyScope[] = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'subscriptions:consume',
  'sql:read',
  'admin',
];

const emptyForm: KeyForm = { streams: '', expires: '', events: '', requests: '' };

/** The form that issues an API key. */
function IssueKey({ onIssued }: { onIssued: (key: IssuedApiKey) => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly ApiKeyScope[]>(['events:read']);
  const [form, setForm] = useState(emptyForm);
  const issue = useAction(async () => {
    onIssued(await client.value.keys.issue({ name, scopes: [...chosen], ...keyLimits(form) }));
    setName('');
    setForm(emptyForm);
  });
  const limit = (field: keyof KeyForm) => ({
    value: form[field],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setForm({ ...form, [field]: currentTarget.value }),
  });
  const rate = { type: 'number', min: 1, max: 10_000_000, step: 1, placeholder: 'no limit' } as const;
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
            <input {...limit('streams')} placeholder="orders, payments.*" spellcheck={false} />
          </Field>
          <Field name="Expires (UTC, empty: never)">
            <input {...limit('expires')} type="datetime-local" />
          </Field>
          <Field name="Events a second">
            <input {...limit('events')} {...rate} />
          </Field>
          <Field name="Requests a second">
            <input {...limit('requests')} {...rate} />
          </Field>
        </div>
        <fieldset class="checks">
          <legend>Scopes</legend>
          {everyScope.map((scope) => (
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

interface KeyActionsProps {
  of: ApiKey;
  onChange: (issued?: IssuedApiKey) => void;
}

function KeyActions({ of: { key_id, name }, onChange }: KeyActionsProps) {
  const rotate = useAction(async () => onChange(await client.value.keys.rotate(key_id, { overlap: '24h' })));
  const revoke = useAction(async () => {
    await client.value.keys.revoke(key_id);
    onChange();
  });
  return (
    <span class="inline">
      <Confirm label="Rotate" title={`Rotate ${name}`} action={rotate}>
        <p>The key gets a new secret. The old one stays valid for 24 hours.</p>
      </Confirm>
      <Confirm label="Revoke" title={`Revoke ${name}`} danger action={revoke}>
        <p>Requests with this key are refused from now on. This cannot be undone.</p>
      </Confirm>
    </span>
  );
}

/** The secret of a key. No other answer contains it. */
function Secret({ issued, onClose }: { issued: IssuedApiKey; onClose: () => void }) {
  return (
    <Card
      class="secret"
      role="status"
      label="New key"
      title={`Key of ${issued.name}`}
      beside={<Button onClick={onClose}>Close</Button>}
    >
      <p>Save it now: it is not shown again.</p>
      <Command text={issued.key} name="key" />
    </Card>
  );
}
