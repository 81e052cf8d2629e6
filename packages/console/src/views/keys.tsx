import { useState } from 'preact/hooks';
import type { IssuedApiKey, ApiKey } from '#client';
import { useAction, usePages } from '../app/resource.js';
import { client, mayWrite } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { CopyButton } from '../parts/calls.js';
import { Confirm } from '../parts/confirm.js';
import { Page } from '../parts/page.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago, Status, Text } from '../parts/values.js';
import { IssueKey } from './issue-key.js';

const columns = [
  { name: 'Key' },
  { name: 'Status' },
  { name: 'Scopes' },
  { name: 'Streams' },
  { name: 'Created' },
  { name: 'Expires' },
  { name: '' },
];

/** API keys: what each may do, and who may issue, rotate and revoke them. */
export function KeysView() {
  const keys = usePages((cursor) => client.value.keys.list({ cursor }), []);
  const [issued, setIssued] = useState<IssuedApiKey>();
  const calls = [{ path: '/api/v1/keys', command: tributary('get', ['keys']) }];
  const done = (key?: IssuedApiKey) => {
    setIssued(key);
    keys.reload();
  };
  return (
    <Page title="Keys" about="API keys of the query port." calls={calls}>
      {issued && <Secret issued={issued} onClose={() => setIssued(undefined)} />}
      {mayWrite.value && <IssueKey onIssued={done} />}
      <Listed
        of={keys}
        empty={<Empty title="No key has been issued.">Keys of the setting API_KEYS are not listed.</Empty>}
      >
        {(items) => (
          <Table label="Keys" columns={columns}>
            {items.map((key) => (
              <Row key={key.key_id} shown={key} onChange={done} />
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}

function Row({ shown: key, onChange }: { shown: ApiKey; onChange: (issued?: IssuedApiKey) => void }) {
  return (
    <tr>
      <th scope="row">
        <Text value={key.name} />
        <br />
        <code class="muted small">{key.key_id}</code>
      </th>
      <td>
        <Status value={key.status} />
      </td>
      <td>
        <span class="chips">
          {key.scopes.map((scope) => (
            <code key={scope} class="chip">
              {scope}
            </code>
          ))}
        </span>
      </td>
      <td>{key.streams === null ? 'all' : key.streams.join(', ')}</td>
      <td>
        <Ago value={key.created_at} />
      </td>
      <td>{key.expires_at === null ? 'never' : <Ago value={key.expires_at} />}</td>
      <td class="actions-cell">
        {mayWrite.value && key.status === 'active' && <KeyActions shown={key} onChange={onChange} />}
      </td>
    </tr>
  );
}

function KeyActions({
  shown: { key_id, name },
  onChange,
}: {
  shown: ApiKey;
  onChange: (issued?: IssuedApiKey) => void;
}) {
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
      <div class="command">
        <pre tabIndex={0} role="group" aria-label="Key">
          <code>{issued.key}</code>
        </pre>
        <CopyButton text={issued.key} label="Copy key" />
      </div>
    </section>
  );
}
