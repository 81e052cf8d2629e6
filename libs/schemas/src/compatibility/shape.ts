import { pointerTo } from '#event';
import type { SchemaDocument } from '../document/document.js';
import { keywords } from '../document/keywords.js';
import { isObject, type SchemaObject } from '../document/schema.js';

/** A document that is compared, under a name that tells it from the other one. */
export interface Source {
  name: string;
  document: SchemaDocument;
}

/** One schema that a value has to pass; of its keywords, `$ref` and `allOf` have been followed already. */
export interface Part {
  source: Source;
  pointer: string;
  /** The same for the same schema only. */
  id: string;
  schema: SchemaObject;
}

/** The values that pass all of some schemas: references and `allOf` are flattened away. */
export class Shape {
  private text: string | undefined;

  constructor(
    /** Where it stands: a JSON pointer into the document that it comes from. */
    readonly at: string,
    readonly parts: readonly Part[],
    private readonly more: {
      /** Whether one of the schemas permits nothing. */
      impossible?: boolean;
      /** Shapes that none of the values has. */
      excluded?: readonly Shape[];
      /** Alternatives of the parts, such as an `anyOf`, of which one has been chosen. */
      chosen?: readonly string[];
    } = {},
  ) {}

  /** The same for shapes that are made of the same schemas. */
  get key(): string {
    const excluded = this.excluded.map((shape) => `!(${shape.key})`);
    const ids = this.parts.map(({ id }) => id);
    this.text ??= [...(this.impossible ? ['false'] : []), ...ids.sort(), ...excluded, ...this.chosen].join(
      ' & ',
    );
    return this.text;
  }

  /** What looking at it takes. */
  get size(): number {
    return this.parts.length + this.excluded.length + this.chosen.length;
  }

  get impossible(): boolean {
    return this.more.impossible ?? false;
  }

  get excluded(): readonly Shape[] {
    return this.more.excluded ?? [];
  }

  get chosen(): readonly string[] {
    return this.more.chosen ?? [];
  }

  /** The values that have this shape and the other. */
  and(other: Shape): Shape {
    const known = new Set(this.parts.map(({ id }) => id));
    return new Shape(this.at, [...this.parts, ...other.parts.filter(({ id }) => !known.has(id))], {
      impossible: this.impossible || other.impossible,
      excluded: [...this.excluded, ...other.excluded],
      chosen: [...this.chosen, ...other.chosen],
    });
  }

  /** The values that have this shape, and none of the others. */
  without(others: readonly Shape[]): Shape {
    return new Shape(this.at, this.parts, { ...this.more, excluded: [...this.excluded, ...others] });
  }

  /** The same values, when one of several alternatives has been looked into. */
  choosing(alternatives: string): Shape {
    return new Shape(this.at, this.parts, { ...this.more, chosen: [...this.chosen, alternatives] });
  }

  /** The values that also pass a schema that stands nowhere. */
  narrowed(schema: SchemaObject): Shape {
    const source = this.parts[0]?.source ?? nowhere;
    const part = {
      source,
      pointer: this.at,
      id: `${source.name}${this.at} ${JSON.stringify(schema)}`,
      schema,
    };
    return new Shape(this.at, [...this.parts, part], this.more);
  }

  /** All values, at the same place. */
  anything(): Shape {
    return new Shape(this.at, []);
  }

  /** The values whose shape is known at another place of the document. */
  standingAt(pointer: string): Shape {
    return new Shape(pointer, this.parts, this.more);
  }
}

const nowhere: Source = {
  name: '',
  document: { root: true, subschemas: new Map(), targets: new Map(), weightOf: () => 0 },
};

/** The shape of the values that pass the schema at a pointer. */
export function shapeOf(source: Source, pointer: string): Shape {
  const { subschemas, targets } = source.document;
  const parts: Part[] = [];
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
      schema.allOf.forEach((_, index) => add(pointerTo(pointerTo(at, 'allOf'), index)));
  };
  add(pointer);
  return new Shape(pointer, parts, { impossible });
}

/** Whether a schema says more than what it refers to. */
function asserts(schema: SchemaObject): boolean {
  return Object.keys(schema).some(
    (name) => name !== '$ref' && name !== 'allOf' && !keywords.get(name)?.annotation,
  );
}

/** The shape of a schema inside of a part. */
export function shapeIn(part: Part, ...path: (string | number)[]): Shape {
  return shapeOf(
    part.source,
    path.reduce<string>((pointer, step) => pointerTo(pointer, step), part.pointer),
  );
}

/** What a keyword that holds schemas by name holds. */
export function namedIn(part: Part, keyword: string): string[] {
  const value = part.schema[keyword];
  return isObject(value) ? Object.keys(value) : [];
}

/** How many schemas a keyword that holds a list of them holds. */
export function listedIn(part: Part, keyword: string): number {
  const value = part.schema[keyword];
  return Array.isArray(value) ? value.length : 0;
}
