import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AsyncAction } from '../app/resource.js';
import { Field, Form, TextInput } from './form.js';
import { Problem } from './problem.js';

interface ConfirmProps {
  label: string;
  title: string;
  /** A text that the user must type, for what cannot be undone. */
  typed?: string;
  danger?: boolean;
  action: AsyncAction<[]>;
  children: ComponentChildren;
}

/** A button that asks before it changes something. */
export function Confirm({ label, title, typed, danger, action, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [wasRunning, setWasRunning] = useState(false);
  useEffect(() => {
    if (wasRunning && !action.running && action.error === undefined) dialog.current?.close();
    setWasRunning(action.running);
  }, [action.running]);
  const open = () => {
    setText('');
    action.clear();
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class={danger ? 'danger' : ''} onClick={open}>
        {label}
      </button>
      <dialog ref={dialog} aria-label={title}>
        <Form method="dialog" onSubmit={action.run}>
          <h2>{title}</h2>
          <div>{children}</div>
          {typed !== undefined && (
            <Field
              name={
                <>
                  Type <code>{typed}</code> to confirm
                </>
              }
            >
              <TextInput value={text} onText={setText} autocomplete="off" />
            </Field>
          )}
          <Problem error={action.error} />
          <p class="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button
              type="submit"
              class={danger ? 'danger solid' : 'primary'}
              disabled={action.running || (typed !== undefined && typed !== text)}
            >
              {label}
            </button>
          </p>
        </Form>
      </dialog>
    </>
  );
}
