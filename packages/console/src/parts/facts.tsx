import type { ComponentChildren } from 'preact';

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
