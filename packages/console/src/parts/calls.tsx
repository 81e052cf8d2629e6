import { useState } from 'preact/hooks';
import { target } from '../app/session.js';
import { curlOf, type Call } from '../logic/shell.js';
import { Button } from './form.js';

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
      {calls.map(([path, query, command]) => (
        <div key={path + (command ?? '')} class="call">
          <Command text={curlOf([path, query], target.value)} name="curl" />
          {command && <Command text={command} name="command line" />}
        </div>
      ))}
    </details>
  );
}

/** A text beside a button that copies it. */
export function Command({ text, name }: { text: string; name: string }) {
  return (
    <div class="command">
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy ${name}`} />
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
    <Button class="quiet" onClick={copy} aria-label={label}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
