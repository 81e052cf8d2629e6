import { jsonPointerTo } from '#json';
import { type CheckedSchemaDocument, isObject, type SchemaObject } from '../document/schema.js';
import { keywords } from '../document/keywords.js';

/** One of the two schema documents that are compared, with a name that distinguishes it from the other. */
export interface ComparedDocument {
  name: string;
  document: CheckedSchemaDocument;
}

/** A JSON Schema that all values of a shape must pass, maybe included by `$ref` or `allOf`. */
export interface SchemaPart {
  source: ComparedDocument;
  pointer: string;
  /** Identifies the schema: equal ids mean the same schema. */
  id: string;
  schema: SchemaObject;
}

/** The JSON values that pass several schemas, its parts. References (`$ref`) and `allOf` are flattened. */
export class ValueShape {
  private text: string | undefined;

  constructor(
    /** JSON pointer into the document that the shape comes from. */
    readonly at: string,
    readonly parts: readonly SchemaPart[],
    private readonly more: {
      /** True if one of the shape's schemas is `false`, so that no value can match. */
      impossible?: boolean;
      /** Shapes that a value must not match. */
      excluded?: readonly ValueShape[];
      /** The `anyOf`, `oneOf` and `if` keywords of the parts for which one branch has already been chosen. */
      chosen?: readonly string[];
    } = {},
  ) {}

  /** Equal for two shapes only if they have the same schemas, excluded shapes and chosen branches. */
  get key(): string {
    const excluded = this.excluded.map((shape) => `!(${shape.key})`);
    const ids = this.parts.map(({ id }) => id);
    this.text ??= [...(this.impossible ? ['false'] : []), ...ids.sort(), ...excluded, ...this.chosen].join(
      ' & ',
    );
    return this.text;
  }

  /** Number of schemas in the shape, as a measure of the cost of comparing it. */
  get size(): number {
    return this.parts.length + this.excluded.length + this.chosen.length;
  }

  get impossible(): boolean {
    return this.more.impossible ?? false;
  }

  get excluded(): readonly ValueShape[] {
    return this.more.excluded ?? [];
  }

  get chosen(): readonly string[] {
    return this.more.chosen ?? [];
  }

  /** Returns the shape of the values that match both shapes. */
  and(other: ValueShape): ValueShape {
    const known = new Set(this.parts.map(({ id }) => id));
    return new ValueShape(this.at, [...this.parts, ...other.parts.filter(({ id }) => !known.has(id))], {
      impossible: this.impossible || other.impossible,
      excluded: [...this.excluded, ...other.excluded],
      chosen: [...this.chosen, ...other.chosen],
    });
  }

  /** Returns the shape of the values that match this shape and none of the shapes in `others`. */
  without(others: readonly ValueShape[]): ValueShape {
    return new ValueShape(this.at, this.parts, { ...this.more, excluded: [...this.excluded, ...others] });
  }

  /** Returns a shape with the same values, in which a branch of the given keyword counts as chosen. */
  choosing(alternatives: string): ValueShape {
    return new ValueShape(this.at, this.parts, { ...this.more, chosen: [...this.chosen, alternatives] });
  }

  /** Returns the shape of the values that also pass an additional schema, which is not part of any document. */
  narrowed(schema: SchemaObject): ValueShape {
    const source = this.parts[0]?.source ?? nowhere;
    const part = {
      source,
      pointer: this.at,
      id: `${source.name}${this.at} ${JSON.stringify(schema)}`,
      schema,
    };
    return new ValueShape(this.at, [...this.parts, part], this.more);
  }

  /** Returns the shape that every JSON value matches, at the same pointer. */
  anything(): ValueShape {
    return new ValueShape(this.at, []);
  }

  /** Returns a shape with the same values, reported at another JSON pointer. */
  standingAt(pointer: string): ValueShape {
    return new ValueShape(pointer, this.parts, this.more);
  }
}

const nowhere: ComparedDocument = {
  name: '',
  document: { root: true, subschemas: new Map(), targets: new Map(), weightOf: () => 0 },
};

/** Returns the shape of the values that pass the schema at a JSON pointer of a document. */
export function shapeOf(source: ComparedDocument, pointer: string): ValueShape {
  const { subschemas, targets } = source.document;
  const parts: SchemaPart[] = [];
  const seen = new Set<string>();
  let impossible = false;
  const add = (at: string): void => {
    if (seen.has(at)) return;
    seen.add(at);
    const schema = subschemas.get(at);
    if (schema === false) impossible = true;
    if (!isObject(schema)) return;
    if (asserts(schema)) parts.push({ source, pointer: at, id: source.name + at, schema });
    const target = targets.get(at);
    if (target !== undefined) add(target);
    if (Array.isArray(schema.allOf))
      schema.allOf.forEach((_, index) => add(jsonPointerTo(jsonPointerTo(at, 'allOf'), index)));
  };
  add(pointer);
  return new ValueShape(pointer, parts, { impossible });
}

/** Whether a schema has keywords other than references, allOf and annotations. */
function asserts(schema: SchemaObject): boolean {
  return Object.keys(schema).some(
    (name) => name !== '$ref' && name !== 'allOf' && !keywords.get(name)?.annotation,
  );
}

/** Returns the shape of the values that pass the subschema at a path within a schema, such as `properties`, `name`. */
export function shapeIn(part: SchemaPart, ...path: (string | number)[]): ValueShape {
  return shapeOf(
    part.source,
    path.reduce<string>((pointer, step) => jsonPointerTo(pointer, step), part.pointer),
  );
}

/** Returns the names in a schema's keyword whose value maps names to schemas, such as `properties`. */
export function namedIn(part: SchemaPart, keyword: string): string[] {
  const value = part.schema[keyword];
  return isObject(value) ? Object.keys(value) : [];
}

/** Returns the number of schemas in a schema's keyword whose value is a list of schemas, such as `anyOf`. */
export function listedIn(part: SchemaPart, keyword: string): number {
  const value = part.schema[keyword];
  return Array.isArray(value) ? value.length : 0;
}
