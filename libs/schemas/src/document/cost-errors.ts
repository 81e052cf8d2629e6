import type { InputError } from '#contracts';
import { schemaBounds } from '../bounds.js';
import type { SchemaDocument } from './document.js';
import { childrenOf } from './walk.js';
import { isObject } from './schema.js';

interface Cost {
  /** Steps to check one value, references followed; parts of the value not counted. */
  steps: number;
  /** How many references and combinations follow each other. */
  chain: number;
}

const none: Cost = { steps: 0, chain: 0 };

/** Schemas that check one value without end, or so often that no event could be checked in time. */
export function* costErrors(document: SchemaDocument): Generator<InputError> {
  const known = new Map<string, Cost>();
  const open = new Set<string>();
  let endless: string | undefined;

  const costOf = (pointer: string): Cost => {
    const before = known.get(pointer);
    if (before) return before;
    if (open.has(pointer)) {
      endless ??= pointer;
      return none;
    }
    open.add(pointer);
    const parts = sameValue(document, pointer).map(costOf);
    open.delete(pointer);
    const steps = parts.reduce(
      (sum, part) => Math.min(sum + part.steps, Number.MAX_SAFE_INTEGER),
      document.weightOf(pointer),
    );
    const cost = { steps, chain: 1 + parts.reduce((most, part) => Math.max(most, part.chain), 0) };
    known.set(pointer, cost);
    return cost;
  };

  for (const pointer of document.subschemas.keys()) {
    const { steps, chain } = costOf(pointer);
    const { stepsOfOneValue, chained } = schemaBounds;
    if (endless !== undefined)
      return yield {
        pointer: endless,
        detail: 'refers to itself for the same value, so that no check of it would end',
      };
    if (steps > stepsOfOneValue)
      return yield {
        pointer,
        detail: `takes ${steps} steps for one value; at most ${stepsOfOneValue} are allowed`,
      };
    if (chain > chained)
      return yield {
        pointer,
        detail: `chains ${chain} references and combinations; at most ${chained} are allowed`,
      };
  }
}

/** The schemas that a value has to pass when it passes the one at `pointer`. */
function sameValue({ subschemas, targets }: SchemaDocument, pointer: string): string[] {
  const schema = subschemas.get(pointer);
  if (!isObject(schema)) return [];
  const found = [...childrenOf(schema, pointer)]
    .filter(({ about }) => about === 'itself')
    .map((child) => child.pointer);
  const target = targets.get(pointer);
  return target === undefined ? found : [...found, target];
}
