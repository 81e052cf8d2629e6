import { useState } from 'preact/hooks';
import type { StreamDetail } from '#client';
import { useMay } from '../app/permissions.js';
import { useAction } from '../app/resource.js';
import { hrefOf, navigate } from '../app/router.js';
import { client } from '../app/session.js';
import { retentionForm, retentionOf, type RetentionForm } from '../logic/retention-input.js';
import { Confirm } from '../parts/confirm.js';
import { Field, TextInput } from '../parts/form.js';

/** A button of the list that creates a stream. */
export function NewStream() {
  const [name, setName] = useState('');
  const [partitions, setPartitions] = useState('');
  const [retention, setRetention] = useState(retentionForm('unlimited'));
  const create = useAction(async () => {
    const { stream } = await client.value.streams.create({
      stream: name.trim(),
      retention: retentionOf(retention),
      ...(partitions !== '' && { partitions: Number(partitions) }),
    });
    navigate(hrefOf(['streams', stream]));
  });
  if (!useMay('definitions:write')) return null;
  return (
    <Confirm label="New stream" title="New stream" primary action={create}>
      <div class="stack">
        <Field name="Name">
          <TextInput value={name} required onText={setName} spellcheck={false} autocomplete="off" />
        </Field>
        <Field name="Partitions (empty: the default; cannot be changed later)">
          <input
            type="number"
            min={1}
            max={256}
            step={1}
            value={partitions}
            onInput={({ currentTarget }) => setPartitions(currentTarget.value)}
          />
        </Field>
        <RetentionFields value={retention} onChange={setRetention} />
      </div>
    </Confirm>
  );
}

interface RetentionFieldsProps {
  value: RetentionForm;
  onChange: (value: RetentionForm) => void;
}

function RetentionFields({ value, onChange }: RetentionFieldsProps) {
  return (
    <>
      <Field name="Keep events for (empty: no limit)">
        <TextInput value={value.time} placeholder="30d" onText={(time) => onChange({ ...value, time })} />
      </Field>
      <Field name="Keep at most (empty: no limit)">
        <TextInput
          value={value.bytes}
          placeholder="10 GiB"
          onText={(bytes) => onChange({ ...value, bytes })}
        />
      </Field>
    </>
  );
}

interface StreamActionsProps {
  stream: StreamDetail;
  onChange: () => Promise<void>;
}

/** Changes the retention of a stream, and deletes the stream. */
export function StreamActions({ stream, onChange }: StreamActionsProps) {
  const [mayChange, mayDelete] = [useMay('definitions:write'), useMay('admin')];
  return (
    <>
      {mayChange && <Retention stream={stream} onChange={onChange} />}
      {mayDelete && <DeleteStream stream={stream.stream} />}
    </>
  );
}

function Retention({ stream: { stream, retention }, onChange }: StreamActionsProps) {
  const [typed, setTyped] = useState<RetentionForm>();
  const form = typed ?? retentionForm(retention);
  const change = useAction(async () => {
    await client.value.streams.change(stream, { retention: retentionOf(form) });
    await onChange();
    setTyped(undefined);
  });
  return (
    <Confirm label="Retention" title={`Retention of ${stream}`} action={change}>
      <div class="stack">
        <RetentionFields value={form} onChange={setTyped} />
        <p>
          A shorter retention, or a first limit, removes events within minutes. This cannot be undone. A key
          needs the scope <code>admin</code> for it.
        </p>
      </div>
    </Confirm>
  );
}

function DeleteStream({ stream }: { stream: string }) {
  const action = useAction(async () => {
    await client.value.streams.delete(stream, { confirm: stream });
    navigate(hrefOf(['streams']));
  });
  return (
    <Confirm label="Delete" title="Delete this stream" typed={stream} danger action={action}>
      <p>All events of the stream are removed. This cannot be undone.</p>
    </Confirm>
  );
}
