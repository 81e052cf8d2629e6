import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AsyncAction } from '../app/resource.js';
import { Button, Form, TextInput } from './form.js';
import { Problem } from './states.js';

interface ConfirmProps {
  label: string;
  title: string;
  /** A text that the user must type, for what cannot be undone. */
  typed?: string;
  danger?: boolean;
  /** Whether the button is the main one of its view. */
  primary?: boolean;
  /** Whether the dialog has room for a table. */
  wide?: boolean;
  action: AsyncAction<[]>;
  children: ComponentChildren;
}

/** A button that asks before it changes something. */
export function Confirm({ label, title, typed, danger, primary, wide, action, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [wasRunning, setWasRunning] = useState(false);
  // Before the page is drawn: the dialog is never shown as if it could be confirmed again.
  useLayoutEffect(() => {
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
      <Button class={danger ? 'danger' : primary ? 'primary' : ''} onClick={open}>
        {label}
      </Button>
      <dialog ref={dialog} aria-label={title} class={wide ? 'wide' : undefined}>
        <Form method="dialog" onSubmit={action.run}>
          <h2>{title}</h2>
          <div>{children}</div>
          {typed !== undefined && (
            <label class="field">
              <span>
                Type <code>{typed}</code> to confirm
              </span>
              <TextInput value={text} onText={setText} autocomplete="off" />
            </label>
          )}
          <Problem error={action.error} />
          <p class="buttons">
            <Button onClick={() => dialog.current?.close()}>Cancel</Button>
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
