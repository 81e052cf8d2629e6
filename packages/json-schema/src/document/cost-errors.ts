import type { SchemaProblem } from '../schema-problem.js';
import { schemaBounds } from '../bounds.js';
import type { CheckedSchemaDocument } from './document.js';
import { isObject } from './schema.js';
import { childrenOf } from './subschemas.js';

/**
 * Returns an error for the first schema of a document whose check of a value would never end, or would take too many
 * steps for any value; an empty list if there is none.
 */
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

  /**
   * Returns the pointers of the schemas that apply to the same value as the schema at `pointer`, some of them
   * conditionally.
   */
  private sameValue(pointer: string): string[] {
    const { subschemas, targets } = this.document;
    const schema = subschemas.get(pointer);
    if (!isObject(schema)) return [];
    const target = targets.get(pointer);
    const children = [...childrenOf(schema, pointer)].filter(({ about }) => about === 'itself');
    return [...children.map((child) => child.pointer), ...(target === undefined ? [] : [target])];
  }
}
