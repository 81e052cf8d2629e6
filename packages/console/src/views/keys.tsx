import { useState } from 'preact/hooks';
import type { ApiKey, ApiKeyScope, IssuedApiKey } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { client, mayWrite } from '../app/session.js';
import { Command } from '../parts/calls.js';
import { Confirm } from '../parts/confirm.js';
import { Button, Field, Form, TextInput } from '../parts/form.js';
import { Card, ListPage } from '../parts/page.js';
import { Problem } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Status, Text } from '../parts/values.js';

/** API keys: what each may do, and who may issue, rotate and revoke them. */
export function KeysView() {
  const keys = usePages((cursor) => client.value.keys.list({ cursor }), []);
  const [issued, setIssued] = useState<IssuedApiKey>();
  const done = (key?: IssuedApiKey) => {
    setIssued(key);
    keys.reload();
  };
  const columns: readonly Column<ApiKey>[] = [
    {
      name: 'Key',
      isHeading: true,
      cell: ({ name, key_id }) => (
        <>
          <Text value={name} />
          <br />
          <code class="muted small">{key_id}</code>
        </>
      ),
    },
    { name: 'Status', cell: ({ status }) => <Status value={status} /> },
    {
      name: 'Scopes',
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
    { name: 'Streams', cell: ({ streams }) => (streams === null ? 'all' : streams.join(', ')) },
    { name: 'Created', cell: ({ created_at }) => <Ago value={created_at} /> },
    { name: 'Expires', cell: ({ expires_at: time }) => (time === null ? 'never' : <Ago value={time} />) },
    {
      name: '',
      class: 'actions-cell',
      cell: (key) => mayWrite.value && key.status === 'active' && <KeyActions of={key} onChange={done} />,
    },
  ];
  return (
    <ListPage
      title="Keys"
      about="API keys of the query port."
      of={keys}
      columns={columns}
      keyOf={({ key_id }) => key_id}
      empty="No key has been issued."
      hint="Keys of the setting API_KEYS are not listed."
    >
      {issued && <Secret issued={issued} onClose={() => setIssued(undefined)} />}
      {mayWrite.value && <IssueKey onIssued={done} />}
    </ListPage>
  );
}

const everyScope: readonly ApiKeyScope[] = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'sql:read',
  'admin',
];

/** The form that issues an API key. */
function IssueKey({ onIssued }: { onIssued: (key: IssuedApiKey) => void }) {
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
