import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ago, duration, grouped, tableTime } from '../logic/format.js';
import { visibleText } from '../logic/visible-text.js';

interface TimeProps {
  value: string | null | undefined;
  format?: (time: string) => string;
}

/** A time in UTC; its exact text is the tooltip. */
export function Time({ value, format = tableTime }: TimeProps) {
  if (!value) return <span class="muted">–</span>;
  return (
    <time dateTime={value} title={value} class="time">
      {format(value)}
    </time>
  );
}

/** How long ago a time was. */
export function Ago({ value }: TimeProps) {
  return <Time value={value} format={(time) => ago(time, Date.now())} />;
}

export function Count({ value }: { value: number | string }) {
  return <span class="digits">{grouped(value)}</span>;
}

/** A number of seconds in its largest two units. */
export function Duration({ value }: { value: number }) {
  return <span class="digits">{duration(value)}</span>;
}

const shortLength = 60;

/** The beginning of a text; a click shows all of it. */
export function ShortText({ value }: { value: string | null | undefined }) {
  const [whole, setWhole] = useState(false);
  if (!value) return <span class="muted">–</span>;
  if (value.length <= shortLength) return <Text value={value} />;
  return (
    <button type="button" class="short-text" aria-expanded={whole} onClick={() => setWhole(!whole)}>
      <span class="caret" aria-hidden="true" />
      <Text value={whole ? value : `${value.slice(0, shortLength).trimEnd()}…`} />
    </button>
  );
}

/** Text from outside: isolated, so that it cannot change the direction of what surrounds it. */
export function Text({ value }: { value: string }) {
  return <bdi>{visibleText(value)}</bdi>;
}

/** A link whose text comes from outside. */
export function Link({ href, text }: { href: string; text: string }) {
  return (
    <a href={href}>
      <Text value={text} />
    </a>
  );
}

/** The colors of states; all others have the color `info`. */
const tones = {
  good: ['running', 'active', 'ok', 'passed', 'emitted'],
  warn: ['paused', 'late', 'dropped', 'expired', 'degraded'],
  bad: ['failed', 'failing', 'error', 'revoked'],
};

export function Status({ value }: { value: string }) {
  const [tone = 'info'] = Object.entries(tones).find(([, values]) => values.includes(value)) ?? [];
  return <span class={`status ${tone}`}>{value}</span>;
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** Returns a name of the API as the name of a fact or a column: `lag_events` as `Lag events`. */
export function titleOf(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

/** Names and their values, below each other or in a row. */
export function Facts({ of, isRow = false }: { of: readonly Fact[]; isRow?: boolean }) {
  return (
    <dl class={isRow ? 'facts row' : 'facts'}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
