import { type CheckedSchemaDocument, childrenOf, isObject } from '../document/schema.js';
import { compilePattern, type LinearPattern } from '../values/pattern.js';
import { namedIn, ValueShape, shapeIn, shapeOf, type SchemaPart } from './value-shape.js';

/** Determines what a shape says about members of objects; caches patterns and traversals of schemas. */
export class MemberShapeResolver {
  private readonly patterns = new Map<string, LinearPattern>();
  private readonly same = new Map<CheckedSchemaDocument, Map<string, ReadonlySet<string>>>();

  /** @param spend Called with the number of steps of an expensive traversal. */
  constructor(private readonly spend: (steps: number) => void) {}

  /** Returns the shape of the member `name` in all objects of a shape that have this member. */
  member(shape: ValueShape, name: string): ValueShape {
    const [first, ...others] = shape.parts.flatMap((part) => this.schemasFor(part, name));
    return first ? others.reduce((all, other) => all.and(other), first) : new ValueShape(shape.at, []);
  }

  /** Whether some part of a shape has a schema for the member `name`, even one that permits everything. */
  describes(shape: ValueShape, name: string): boolean {
    return shape.parts.some((part) => this.schemasFor(part, name).length > 0);
  }

  private schemasFor(part: SchemaPart, name: string): ValueShape[] {
    const { schema } = part;
    const found = this.patternsFor(part, name).map((source) => shapeIn(part, 'patternProperties', source));
    if (isObject(schema.properties) && Object.hasOwn(schema.properties, name))
      found.unshift(shapeIn(part, 'properties', name));
    if (found.length === 0 && 'additionalProperties' in schema)
      found.push(shapeIn(part, 'additionalProperties'));
    if ('unevaluatedProperties' in schema && !this.mayLookAt(part, name))
      found.push(shapeIn(part, 'unevaluatedProperties'));
    return found;
  }

  /** Returns the member names that any part of a shape mentions, including conditional parts. */
  names(shape: ValueShape): Set<string> {
    const found = new Set<string>();
    for (const part of shape.parts)
      for (const pointer of this.sameValue(part)) {
        const schema = part.source.document.subschemas.get(pointer);
        if (!isObject(schema)) continue;
        for (const name of namedIn({ ...part, schema }, 'properties')) found.add(name);
        if (Array.isArray(schema.required)) for (const name of schema.required as string[]) found.add(name);
      }
    return found;
  }

  /** Returns the patterns of a part's `patternProperties` that match a name. */
  patternsFor(part: SchemaPart, name: string): string[] {
    return namedIn(part, 'patternProperties').filter((source) => this.matches(source, name));
  }

  /** Whether a part always evaluates a member, so that `unevaluatedProperties` does not apply to it. */
  looksAt(part: SchemaPart, name: string): boolean {
    return shapeOf(part.source, part.pointer).parts.some((one) =>
      this.namesMember(one, name, one.pointer !== part.pointer),
    );
  }

  /** Whether a part evaluates every member of every object, so that `unevaluatedProperties` applies to none. */
  looksAtAll(part: SchemaPart): boolean {
    return shapeOf(part.source, part.pointer).parts.some(
      (one) =>
        'additionalProperties' in one.schema ||
        (one.pointer !== part.pointer && 'unevaluatedProperties' in one.schema),
    );
  }

  /** Returns the patterns to whose members `unevaluatedProperties` does not apply. */
  patternsOf(part: SchemaPart): Set<string> {
    const { parts } = shapeOf(part.source, part.pointer);
    return new Set(parts.flatMap((one) => namedIn(one, 'patternProperties')));
  }

  /**
   * Returns the possible shapes of members that `properties` does not name, including those of `patternProperties`.
   * Returns undefined if such members may have any value. Patterns in `except` are ignored.
   */
  others(part: SchemaPart, except: ReadonlySet<string>): ValueShape[] | undefined {
    const rest = this.restOf(part);
    if (!rest) return undefined;
    const patterns = namedIn(part, 'patternProperties').filter((source) => !except.has(source));
    return [rest, ...patterns.map((source) => shapeIn(part, 'patternProperties', source))];
  }

  private restOf(part: SchemaPart): ValueShape | undefined {
    if ('additionalProperties' in part.schema) return shapeIn(part, 'additionalProperties');
    if (!('unevaluatedProperties' in part.schema)) return undefined;
    const inner = [...this.sameValue(part)].filter((pointer) => pointer !== part.pointer);
    const looksFurther = inner.some((pointer) => {
      const schema = part.source.document.subschemas.get(pointer);
      return isObject(schema) && looking.some((keyword) => keyword in schema);
    });
    return looksFurther ? undefined : shapeIn(part, 'unevaluatedProperties');
  }

  private mayLookAt(part: SchemaPart, name: string): boolean {
    return [...this.sameValue(part)].some((pointer) => {
      const schema = part.source.document.subschemas.get(pointer);
      if (!isObject(schema)) return false;
      const one = { ...part, pointer, schema };
      return this.namesMember(one, name, pointer !== part.pointer);
    });
  }

  private namesMember(part: SchemaPart, name: string, unevaluatedCounts: boolean): boolean {
    const { properties } = part.schema;
    if (isObject(properties) && Object.hasOwn(properties, name)) return true;
    if (
      'additionalProperties' in part.schema ||
      (unevaluatedCounts && 'unevaluatedProperties' in part.schema)
    )
      return true;
    return this.patternsFor(part, name).length > 0;
  }

  /** Returns the pointers of all schemas that may apply to the same value, including conditional ones. */
  private sameValue({ source: { document }, pointer }: SchemaPart): ReadonlySet<string> {
    const known = this.same.get(document) ?? new Map<string, ReadonlySet<string>>();
    this.same.set(document, known);
    const found = known.get(pointer) ?? sameValueIn(document, pointer);
    known.set(pointer, found);
    this.spend(found.size >> 5);
    return found;
  }

  matches(source: string, name: string): boolean {
    const pattern = this.patterns.get(source) ?? compilePattern(source);
    this.patterns.set(source, pattern);
    return pattern.test(name);
  }
}

const looking = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'];

function sameValueIn({ subschemas, targets }: CheckedSchemaDocument, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (pointer: string): void => {
    if (found.has(pointer)) return;
    found.add(pointer);
    const schema = subschemas.get(pointer);
    if (!isObject(schema)) return;
    for (const child of childrenOf(schema, pointer)) if (child.about === 'itself') add(child.pointer);
    const target = targets.get(pointer);
    if (target !== undefined) add(target);
  };
  add(from);
  return found;
}
