import { jsonPointerTo } from '#json';
import type { CheckedSchemaDocument } from '../document/schema.js';
import { arrayChecks } from './array-checks.js';
import {
  allOfChecks,
  jsonKindOf,
  type CompilableSchema,
  meteredPattern,
  type MeteredPattern,
} from './check.js';
import type { ValueCheck } from './validation-context.js';
import { combinationChecks } from './combination-checks.js';
import { numberChecks, textChecks, typeCheck, valueChecks } from './scalar-checks.js';
import { objectChecks, unevaluatedCheck } from './object-checks.js';

/** Compiles the schemas of a document to checks of values; each check is compiled once, on first use. */
export class SchemaCheckCompiler {
  private readonly made = new Map<string, ValueCheck>();
  private readonly patterns = new Map<string, MeteredPattern>();

  constructor(private readonly document: CheckedSchemaDocument) {}

  /** Returns the check for the schema at a JSON pointer of the document. Schemas can be recursive. */
  of(pointer: string): ValueCheck {
    const known = this.made.get(pointer);
    if (known) return known;
    const later: { check?: ValueCheck } = {};
    this.made.set(pointer, (value, run) => later.check!(value, run));
    const check = (later.check = this.make(pointer));
    this.made.set(pointer, check);
    return check;
  }

  private make(pointer: string): ValueCheck {
    const schema = this.document.subschemas.get(pointer) ?? true;
    if (schema === true) return () => true;
    if (schema === false) return (_value, run) => run.refuse('false schema');
    const inner: CompilableSchema['inner'] = (keyword, part) => {
      const at = jsonPointerTo(pointer, keyword);
      return this.of(part === undefined ? at : jsonPointerTo(at, part));
    };
    const at = { schema, inner, pattern: (source: string) => this.patternOf(source) };
    const target = this.document.targets.get(pointer);
    const general = [...valueChecks(at), ...(target === undefined ? [] : [this.of(target)])];
    return withKind(at, [...general, ...combinationChecks(at)], this.document.weightOf(pointer));
  }

  private patternOf(source: string): MeteredPattern {
    const pattern = this.patterns.get(source) ?? meteredPattern(source);
    this.patterns.set(source, pattern);
    return pattern;
  }
}

/** Combines the checks by kind of value. An object takes `weight` steps, any other value one. */
function withKind(at: CompilableSchema, general: readonly ValueCheck[], weight: number): ValueCheck {
  const withGeneral = (own: ValueCheck<never>[]) => allOfChecks([...(own as ValueCheck[]), ...general]);
  const checks = {
    null: withGeneral([]),
    boolean: withGeneral([]),
    number: withGeneral(numberChecks(at)),
    string: withGeneral(textChecks(at)),
    array: withGeneral(arrayChecks(at)),
    object: withGeneral(objectChecks(at)),
  };
  if ('unevaluatedProperties' in at.schema) checks.object = unevaluatedCheck(at, checks.object);
  const { type } = at.schema;
  const isOfType = type === undefined ? undefined : typeCheck(type);
  return (value, run) => {
    const kind = jsonKindOf(value);
    run.charge(kind === 'object' ? weight : 1);
    if (isOfType && !isOfType(kind, value)) return run.refuse('type', { type });
    return checks[kind](value, run);
  };
}
