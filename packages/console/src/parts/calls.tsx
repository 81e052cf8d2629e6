import { useState } from 'preact/hooks';
import { target } from '../app/session.js';
import { curlOf, type ShownRequest } from '../logic/shell.js';

/** A request of a view, and its command of the command line. */
export interface Call extends ShownRequest {
  command?: string;
}

/** Shows the `curl` commands and the command lines that return what the view shows. */
export function Calls({ calls }: { calls: readonly Call[] }) {
  if (calls.length === 0) return null;
  return (
    <details class="calls">
      <summary>curl and command line</summary>
      <p class="muted small">
        Run npx in a clone of Tributary; elsewhere the program is tributary without npx.
        {target.value.keys && ' The commands read the key from the variable TRIBUTARY_KEY.'}
      </p>
      {calls.map((call) => (
        <div key={call.path + (call.command ?? '')} class="call">
          <Command text={curlOf(call, target.value)} name="curl" />
          {call.command && <Command text={call.command} name="command line" />}
        </div>
      ))}
    </details>
  );
}

interface CommandProps {
  text: string;
  name: string;
  copyLabel?: string;
}

/** A text beside a button that copies it. */
export function Command({ text, name, copyLabel = `Copy ${name}` }: CommandProps) {
  return (
    <div class="command">
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={copyLabel} />
    </div>
  );
}

/** Copies a text. The clipboard needs a secure page: without it there is no button. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  if (!('clipboard' in navigator)) return null;
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={label}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}
