import { createHash } from 'node:crypto';
import type { CheckedSchemaDocument } from '../document/schema.js';
import { canonicalText } from '../values/equality.js';
import type { SchemaPart } from './value-shape.js';

const known = new WeakMap<CheckedSchemaDocument, ReferenceClosures>();

/**
 * Returns a digest that is equal for two JSON Schemas only if they permit the same values. The digest covers the
 * schema's own text and the text of all schemas that it references, directly or indirectly.
 */
export function meaningDigestOf({ source: { document }, pointer, schema, id }: SchemaPart): string {
  if (document.subschemas.get(pointer) !== schema) return id;
  const closures = known.get(document) ?? new ReferenceClosures(document);
  known.set(document, closures);
  return closures.of(pointer);
}

class ReferenceClosures {
  /** The pointers of all references within each schema, by the pointer of the schema. */
  private readonly inside = new Map<string, string[]>();
  private readonly digests = new Map<string, string>();
  private readonly texts = new Map<string, string>();

  constructor(private readonly document: CheckedSchemaDocument) {
    for (const from of document.targets.keys())
      for (let end = from.length; end >= 0; end = end === 0 ? -1 : from.lastIndexOf('/', end - 1)) {
        const around = from.slice(0, end);
        this.inside.set(around, [...(this.inside.get(around) ?? []), from]);
      }
  }

  of(pointer: string): string {
    const digest = this.digests.get(pointer) ?? this.digestOf(pointer);
    this.digests.set(pointer, digest);
    return digest;
  }

  private digestOf(pointer: string): string {
    const reached = new Set<string>();
    for (const target of this.targetsIn(pointer)) reached.add(target);
    for (const target of reached) for (const further of this.targetsIn(target)) reached.add(further);
    const others = [...reached].sort().map((target) => `${target} ${this.textOf(target)}`);
    return digest([this.textOf(pointer), ...others].join('\n'));
  }

  private textOf(pointer: string): string {
    const text = this.texts.get(pointer) ?? this.write(pointer);
    this.texts.set(pointer, text);
    return text;
  }

  private write(pointer: string): string {
    const links = (this.inside.get(pointer) ?? []).map(
      (from) => `${from.slice(pointer.length)}>${this.document.targets.get(from) ?? ''}`,
    );
    return digest(`${canonicalText(this.document.subschemas.get(pointer))}\n${links.sort().join('\n')}`);
  }

  private targetsIn(pointer: string): string[] {
    return (this.inside.get(pointer) ?? []).map((from) => this.document.targets.get(from) ?? '');
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
