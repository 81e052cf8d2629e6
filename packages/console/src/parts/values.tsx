import { ago, grouped, tableTime } from '../logic/format.js';
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

/** Text from outside: isolated, so that it cannot change the direction of what surrounds it. */
export function Text({ value }: { value: string }) {
  return <bdi>{visibleText(value)}</bdi>;
}

const tones: Record<string, string> = {
  running: 'good',
  active: 'good',
  ok: 'good',
  passed: 'good',
  emitted: 'good',
  building: 'info',
  forwarded: 'info',
  paused: 'warn',
  late: 'warn',
  dropped: 'warn',
  expired: 'warn',
  degraded: 'warn',
  failed: 'bad',
  failing: 'bad',
  error: 'bad',
  revoked: 'bad',
};

export function Status({ value }: { value: string }) {
  return <span class={`status ${tones[value] ?? 'info'}`}>{value}</span>;
}
