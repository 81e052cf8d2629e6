import { useState } from 'preact/hooks';
import { childrenOf, kindOf, memberText, type JsonChild } from '../logic/json-tree.js';
import { visibleText } from '../logic/visible-text.js';
import { bytes } from '../logic/format.js';
import { Button } from './form.js';

const previewLength = 2_048;
const pageLength = 100;

/** A value up to this length opens with its members. */
const shortLength = 1_024;

/** A JSON value as a tree: children are read when they are opened, numbers keep every digit. */
export function JsonTree({ text, open = true }: { text: string; open?: boolean }) {
  const value = text.trim();
  return (
    <div class="json">
      <Value child={{ name: '', text: value }} levels={open ? levelsOf(value) : 0} />
    </div>
  );
}

/** Returns how many levels of a value are open at first. */
function levelsOf(text: string): number {
  return text.length <= shortLength ? 4 : 1;
}

function Value({ child: { name, text }, levels }: { child: JsonChild; levels: number }) {
  const kind = kindOf(text);
  const [open, setOpen] = useState(levels > 0);
  const label = name !== '' && <span class="json-name">{visibleText(name)}: </span>;
  if (kind !== 'object' && kind !== 'array')
    return (
      <div class="json-row">
        {label}
        <LongText text={kind === 'string' ? visibleString(text) : text} class={`json-${kind}`} />
      </div>
    );
  return (
    <div class="json-row">
      <Button class="json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="caret" aria-hidden="true" />
        {label}
        <span class="muted">
          {kind} {bytes(text.length)}
        </span>
      </Button>
      {open && <Children text={text} levels={levels - 1} />}
    </div>
  );
}

function Children({ text, levels }: { text: string; levels: number }) {
  const [most, setMost] = useState(pageLength);
  const found: JsonChild[] = [];
  for (const child of childrenOf(text)) if (found.push(child) > most) break;
  const shown = found.slice(0, most);
  return (
    <div class="json-children">
      {shown.length === 0 && <span class="muted">empty</span>}
      {shown.map((child, i) => (
        <Value key={i} child={child} levels={levels} />
      ))}
      {found.length > most && (
        <Button class="quiet" onClick={() => setMost(most + pageLength)}>
          Show {pageLength} more
        </Button>
      )}
    </div>
  );
}

/** The text of a string without its escapes, if it has none that a reader would miss. */
function visibleString(text: string): string {
  return `"${visibleText(JSON.parse(text) as string)}"`;
}

/** A text of any length: its beginning, and the rest on demand. */
export function LongText({ text, class: className = '' }: { text: string; class?: string }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= previewLength || whole) return <bdi class={`long-text ${className}`}>{text}</bdi>;
  return (
    <>
      <bdi class={`long-text ${className}`}>{text.slice(0, previewLength)}…</bdi>{' '}
      <Button class="quiet" onClick={() => setWhole(true)}>
        Show all {bytes(text.length)}
      </Button>
    </>
  );
}

/** One line of a JSON text for a table. */
export function JsonLine({ text }: { text: string }) {
  return <bdi class="json-line">{visibleText(text.slice(0, 240).replace(/\s+/g, ' '))}</bdi>;
}

/** Some members of a JSON object, as a tree for each, in a frame that opens. */
export function Definition({ text, members }: { text: string; members: readonly string[] }) {
  return (
    <details class="card">
      <summary>Definition</summary>
      <div class="json">
        {members.map((name) => {
          const value = memberText(text, name);
          if (value === undefined) return null;
          return <Value key={name} child={{ name, text: value }} levels={levelsOf(value)} />;
        })}
      </div>
    </details>
  );
}
