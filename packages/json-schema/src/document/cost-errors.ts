import type { SchemaProblem } from './invalid-schema-error.js';
import { schemaBounds } from '../bounds.js';
import { type CheckedSchemaDocument, isObject, childrenOf, type JsonSchema } from './schema.js';

/** Returns an error for the first schema whose check never ends, or takes too many steps for a value. */
export function costErrors(document: CheckedSchemaDocument): SchemaProblem[] {
  const costs = new CheckCosts(document);
  const { stepsOfOneValue, chained } = schemaBounds;
  for (const pointer of document.subschemas.keys()) {
    const { steps, chain } = costs.of(pointer);
    if (costs.endless !== undefined)
      return [
        { pointer: costs.endless, detail: 'refers to itself for the same value: its check would never end' },
      ];
    if (chain > chained)
      return [
        { pointer, detail: `chains ${chain} references and combinations; at most ${chained} are allowed` },
      ];
    if (steps > stepsOfOneValue)
      return [
        { pointer, detail: `takes ${steps} steps for one value; at most ${stepsOfOneValue} are allowed` },
      ];
  }
  return [];
}

interface CheckCost {
  /** Steps to check one value, including references, but not the members or items of the value. */
  steps: number;
  /** Length of the longest chain of references and combinations through which schemas apply to the same value. */
  chain: number;
}

class CheckCosts {
  /** Pointer of a schema that refers to itself for the same value. */
  endless: string | undefined;
  private readonly known = new Map<string, CheckCost>();
  private readonly open = new Set<string>();

  constructor(private readonly document: CheckedSchemaDocument) {}

  of(pointer: string): CheckCost {
    const known = this.known.get(pointer);
    if (known) return known;
    if (this.open.has(pointer)) {
      this.endless ??= pointer;
      return { steps: 0, chain: 0 };
    }
    this.open.add(pointer);
    const parts = this.sameValue(pointer).map((part) => this.of(part));
    this.open.delete(pointer);
    const own = this.document.weightOf(pointer);
    const steps = parts.reduce((sum, part) => Math.min(sum + part.steps, Number.MAX_SAFE_INTEGER), own);
    const cost = { steps, chain: 1 + Math.max(0, ...parts.map(({ chain }) => chain)) };
    this.known.set(pointer, cost);
    return cost;
  }

  /** Returns the pointers of the schemas that apply to the same value, maybe conditionally. */
  private sameValue(pointer: string): string[] {
    const { subschemas, targets } = this.document;
    const schema = subschemas.get(pointer);
    if (!isObject(schema)) return [];
    const target = targets.get(pointer);
    const children = [...childrenOf(schema, pointer)].filter(({ about }) => about === 'itself');
    return [...children.map((child) => child.pointer), ...(target === undefined ? [] : [target])];
  }
}

/**
 * Returns the validation steps that a schema itself takes for one value, or 0 if the steps allowed for the
 * value's own characters cover them. If these values sum up to at most `schemaBounds.stepsOfText`,
 * validation stays within its limits.
 */
export function excessStepsOf(schema: unknown): number {
  const most = ownStepsOf(schema as JsonSchema);
  return most > leastCharacters * schemaBounds.stepsOfCharacter ? most : 0;
}

/** Number of characters of the shortest JSON value with the separator after it. */
const leastCharacters = 2;

/** Returns the steps of a schema for one object, without subschemas: each named property is looked up. */
export function ownStepsOf(schema: JsonSchema | undefined): number {
  if (!isObject(schema)) return 0;
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const count = (...lists: unknown[]) =>
    lists.reduce<number>((sum, list) => sum + Object.keys(list ?? {}).length, 0);
  const inner = isObject(dependentRequired) ? Object.values(dependentRequired).flat() : [];
  return 1 + Math.ceil(count(properties, required, inner) / 4) + count(dependentRequired, dependentSchemas);
}
