import { signal } from '@preact/signals';

export type Point = readonly [seconds: number, value: number];

/** Measurements of this page while it is open, for an hour: the gateway keeps no history of them. */
export const samples = signal<ReadonlyMap<string, readonly Point[]>>(new Map());

const keptSeconds = 3_600;

export function addSample(name: string, value: number): void {
  const now = Date.now() / 1000;
  const before = samples.value.get(name) ?? [];
  const kept = before.filter(([time]) => time > now - keptSeconds);
  samples.value = new Map([...samples.value, [name, [...kept, [now, value] as const]]]);
}
