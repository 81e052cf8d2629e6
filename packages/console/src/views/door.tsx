import { useState } from 'preact/hooks';
import { ProblemError, Tributary } from '#client';
import { Field, Form } from '../parts/form.js';
import { Problem } from '../parts/states.js';
import { begin, endedBecause } from '../app/session.js';

/** Asks for the key of this port. */
export function Door() {
  const [key, setKey] = useState('');
  const [state, setState] = useState<{ checking: boolean; error?: unknown }>({ checking: false });
  const submit = () => {
    setState({ checking: true });
    isAccepted(key.trim()).then(
      () => begin(key.trim()),
      (error: unknown) => setState({ checking: false, error }),
    );
  };
  return (
    <main class="door">
      <Form onSubmit={submit} class="card">
        <h1>
          <Mark /> Tributary
        </h1>
        {endedBecause.value !== undefined && state.error === undefined && (
          <div class="problem" role="alert">
            <p>
              <strong>The session has ended.</strong> {endedBecause.value}
            </p>
          </div>
        )}
        <Field name="API key">
          <input
            type="password"
            name="key"
            value={key}
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="trb_…"
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </Field>
        <Problem error={state.error} />
        <button type="submit" class="primary" disabled={state.checking}>
          {state.checking ? 'Checking…' : 'Open'}
        </button>
        <p class="muted small">
          The key stays in this tab until it is closed, and is sent in the Authorization header only.
        </p>
      </Form>
    </main>
  );
}

/** Resolves if the key is valid, whatever its scopes are. */
async function isAccepted(key: string): Promise<void> {
  const client = new Tributary({ url: location.origin, apiKey: key });
  try {
    await client.streams.list({ limit: 1 }).first();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'insufficient_scope') throw error;
  }
}

/** The sign of the product. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" class="mark">
      <rect width="32" height="32" rx="7" />
      <path d="M6 8c5 0 7 8 13 8h7M6 24c5 0 7-8 13-8M6 16h13" />
    </svg>
  );
}
