import type { SchemaDocument } from '../document/document.js';
import { below } from '../document/json-pointer.js';
import { keywords } from '../document/keywords.js';
import { isObject, isSchema, type Schema } from '../document/schema.js';
import { stepsKeyword } from './counting-keyword.js';

/**
 * A schema as Ajv gets it: what says nothing is left out, each schema counts its steps, and what is referred to stands
 * in `$defs` under a name of ours, so that nothing depends on how references are written. So does what has
 * unevaluatedProperties: Ajv makes a function of it, whose notes of what was looked at are new for each value.
 */
export function executableOf(document: SchemaDocument): Schema {
  const apart = [...document.subschemas].filter(
    ([, schema]) => isObject(schema) && 'unevaluatedProperties' in schema,
  );
  const pointers = new Set([...document.targets.values(), ...apart.map(([pointer]) => pointer)]);
  const names = new Map([...pointers].map((pointer, index) => [pointer, `d${index}`]));
  const builder = new Builder(document, names);
  const top = builder.place(document.root, '');
  if (typeof top === 'boolean') return top;
  return {
    ...top,
    $defs: Object.fromEntries([...names].map(([pointer, name]) => [name, builder.build(pointer)])),
  };
}

class Builder {
  constructor(
    private readonly document: SchemaDocument,
    private readonly names: ReadonlyMap<string, string>,
  ) {}

  /** What stands where the document has a schema: the schema, or a reference when others refer to it. */
  place(schema: Schema, pointer: string): Schema {
    if (typeof schema === 'boolean') return schema;
    const name = this.names.get(pointer);
    return name === undefined ? this.build(pointer) : { $ref: `#/$defs/${name}` };
  }

  build(pointer: string): Schema {
    const { subschemas, targets, weightOf } = this.document;
    const schema = subschemas.get(pointer) ?? true;
    if (typeof schema === 'boolean') return schema;
    const made: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const { annotation, holds } = keywords.get(keyword) ?? {};
      if (annotation || keyword === '$ref') continue;
      made[keyword] = holds ? this.within(value, below(pointer, keyword)) : value;
    }
    const asserts = Object.keys(made).length > 0;
    const target = targets.get(pointer);
    const followed = target === undefined ? true : this.place(subschemas.get(target) ?? true, target);
    if (!asserts || followed === false) return followed;
    return { ...(followed === true ? {} : followed), ...made, [stepsKeyword]: weightOf(pointer) };
  }

  /** The value of a keyword that holds a schema, a list of them, or schemas by name. */
  private within(value: unknown, pointer: string): unknown {
    if (this.document.subschemas.get(pointer) === value && isSchema(value)) return this.place(value, pointer);
    if (Array.isArray(value)) return value.map((member, index) => this.member(member, below(pointer, index)));
    return Object.fromEntries(
      Object.entries(value as object).map(([name, member]) => [
        name,
        this.member(member, below(pointer, name)),
      ]),
    );
  }

  private member(value: unknown, pointer: string): unknown {
    return isSchema(value) ? this.place(value, pointer) : value;
  }
}
