import { useState } from 'preact/hooks';
import type { IssuedApiKey, ApiKey } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { client, mayWrite } from '../app/session.js';
import { Command } from '../parts/calls.js';
import { Confirm } from '../parts/confirm.js';
import { ListPage } from '../parts/page.js';
import { Empty } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Status, Text } from '../parts/values.js';
import { IssueKey } from './issue-key.js';

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
    {
      name: 'Expires',
      cell: ({ expires_at }) => (expires_at === null ? 'never' : <Ago value={expires_at} />),
    },
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
      resources="keys"
      of={keys}
      columns={columns}
      keyOf={({ key_id }) => key_id}
      empty={<Empty title="No key has been issued.">Keys of the setting API_KEYS are not listed.</Empty>}
    >
      {issued && <Secret issued={issued} onClose={() => setIssued(undefined)} />}
      {mayWrite.value && <IssueKey onIssued={done} />}
    </ListPage>
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
    <section class="card secret" role="status" aria-label="New key">
      <div class="card-head">
        <h2>Key of {issued.name}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <p>Save it now: it is not shown again.</p>
      <Command text={issued.key} name="Key" copyLabel="Copy key" />
    </section>
  );
}
