import { pointerTo } from '#event';
import type { SchemaDocument } from '../document/document.js';
import { arrayChecks } from './checks/array-checks.js';
import { all, kindOf, type Check, type Kind, type SchemaAt } from './checks/check.js';
import { combinationChecks } from './checks/combination-checks.js';
import { numberChecks } from './checks/number-checks.js';
import { objectChecks, unevaluatedCheck } from './checks/object-checks.js';
import { textChecks } from './checks/text-checks.js';
import { typeCheck, valueChecks } from './checks/value-checks.js';
import { chargedPattern, type ChargedPattern } from './pattern-check.js';

/** The compiled checks of a document's schemas; each is built once, on first use. */
export class Checks {
  private readonly made = new Map<string, Check>();
  private readonly patterns = new Map<string, ChargedPattern>();

  constructor(private readonly document: SchemaDocument) {}

  /** Returns the check of the schema at a pointer. Schemas can be recursive. */
  of(pointer: string): Check {
    const known = this.made.get(pointer);
    if (known) return known;
    const later: { check?: Check } = {};
    this.made.set(pointer, (value, run) => later.check!(value, run));
    const check = (later.check = this.make(pointer));
    this.made.set(pointer, check);
    return check;
  }

  private make(pointer: string): Check {
    const schema = this.document.subschemas.get(pointer) ?? true;
    if (schema === true) return () => true;
    if (schema === false) return (_value, run) => run.refuse('false schema');
    const inner: SchemaAt['inner'] = (keyword, part) => {
      const at = pointerTo(pointer, keyword);
      return this.of(part === undefined ? at : pointerTo(at, part));
    };
    const at = { schema, inner, pattern: (source: string) => this.patternOf(source) };
    const target = this.document.targets.get(pointer);
    const general = [...valueChecks(at), ...(target === undefined ? [] : [this.of(target)])];
    return withKind(at, [...general, ...combinationChecks(at)], this.document.weightOf(pointer));
  }

  private patternOf(source: string): ChargedPattern {
    const pattern = this.patterns.get(source) ?? chargedPattern(source);
    this.patterns.set(source, pattern);
    return pattern;
  }
}

/**
 * Combines the checks for each kind of value. `weight` is the number of steps for an object; any other value
 * takes one step.
 */
function withKind(at: SchemaAt, general: readonly Check[], weight: number): Check {
  const byKind = checksByKind(at);
  const of = (kind: Kind): Check => all([...(byKind[kind] ?? []), ...general]);
  const checks = {
    ...{ null: of('null'), boolean: of('boolean'), number: of('number'), string: of('string') },
    ...{ array: of('array'), object: of('object') },
  };
  if ('unevaluatedProperties' in at.schema) checks.object = unevaluatedCheck(at, checks.object);
  const { type } = at.schema;
  const isOfType = type === undefined ? undefined : typeCheck(type);
  return (value, run) => {
    const kind = kindOf(value);
    run.charge(kind === 'object' ? weight : 1);
    if (isOfType && !isOfType(kind, value)) return run.refuse('type', { type });
    return checks[kind](value, run);
  };
}

function checksByKind(at: SchemaAt): Partial<Record<Kind, Check[]>> {
  return {
    number: numberChecks(at) as Check[],
    string: textChecks(at) as Check[],
    array: arrayChecks(at) as Check[],
    object: objectChecks(at) as Check[],
  };
}
