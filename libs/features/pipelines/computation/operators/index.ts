import { branch } from './branch.js';
import { dedupe } from './dedupe.js';
import { emit } from './emit.js';
import { enrich } from './enrich.js';
import { expect } from './expect.js';
import { filter } from './filter.js';
import { flatMap } from './flat-map.js';
import { join } from './join.js';
import { map } from './map.js';
import type { OperatorExternalReference, OperatorImplementation, OperatorJson } from './operator.js';
import { reduce } from './reduce.js';
import { webhook } from './webhook.js';
import { window } from './window.js';

/** All operators by their names in definitions. */
export const operators: Readonly<Record<string, OperatorImplementation>> = {
  filter,
  map,
  flat_map: flatMap,
  enrich,
  dedupe,
  window,
  reduce,
  expect,
  join,
  branch,
  emit,
  webhook,
};

/**
 * Returns the streams that a pipeline reads, in its source and in the right sides of joins, each with a JSON pointer to
 * where the definition names it first.
 */
export function sourceStreams({
  source,
  operators: list,
}: {
  source: { readonly streams: readonly string[] };
  operators: readonly OperatorJson[];
}): ReadonlyMap<string, string> {
  const named = [
    ...source.streams.map((stream, i) => ({ stream, pointer: `/source/streams/${i}` })),
    ...effectsOf(list).filter((effect) => effect.kind === 'read'),
  ];
  const streams = new Map<string, string>();
  for (const { stream, pointer } of named) if (!streams.has(stream)) streams.set(stream, pointer);
  return streams;
}

/** Returns what valid operators, also those in branches, read, write, post to and look up, in their order. */
export function effectsOf(
  list: readonly OperatorJson[],
  pointer = '/operators',
): OperatorExternalReference[] {
  return list.flatMap((operator, i) =>
    Object.entries(operator).flatMap(([name, spec]) => {
      const at = `${pointer}/${i}/${name}`;
      const lists = operators[name]?.lists?.(spec, at) ?? [];
      return [
        ...(operators[name]?.effects?.(spec, at) ?? []),
        ...lists.flatMap((inner) => effectsOf(inner.operators, inner.pointer)),
      ];
    }),
  );
}
