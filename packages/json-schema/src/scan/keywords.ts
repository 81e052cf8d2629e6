/**
 * The JSON Schema has a keyword that validation during the scan does not support. Events of a type with this schema are
 * validated after the scan.
 */
export class UnsupportedKeywordError extends Error {
  override readonly name = 'UnsupportedKeywordError';
}

/** JSON Schema keywords without effect on validation, and `$defs`, which has no effect without `$ref`. */
const annotations = new Set(
  (
    '$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly ' +
    'writeOnly contentEncoding contentMediaType contentSchema'
  ).split(' '),
);

/**
 * The keywords of one valid JSON Schema. Each supported keyword is taken once; a keyword that remains at the end is not
 * supported.
 */
export class SchemaKeywordReader {
  private readonly left: Map<string, unknown>;

  /** @throws UnsupportedKeywordError when the schema is `false` */
  constructor(schema: unknown) {
    if (typeof schema !== 'object' || schema === null) throw new UnsupportedKeywordError('nothing fits');
    const entries = Object.entries(schema).filter(([name]) => !annotations.has(name));
    this.left = new Map<string, unknown>(entries);
  }

  take<T>(name: string): T | undefined {
    const value = this.left.get(name);
    this.left.delete(name);
    return value as T | undefined;
  }

  types(): ReadonlySet<unknown> | undefined {
    const type = this.take<string | string[]>('type');
    return type === undefined ? undefined : new Set([type].flat());
  }

  /**
   * Takes the values of `enum` or `const`. Only strings and null are supported. @throws UnsupportedKeywordError for other values
   */
  listed(): ReadonlySet<unknown> | undefined {
    const values = this.take<unknown[]>('enum') ?? this.constant();
    if (values?.some((value) => typeof value !== 'string' && value !== null))
      throw new UnsupportedKeywordError('enum');
    return values && new Set(values);
  }

  /** Requires that every keyword of the schema was taken. @throws UnsupportedKeywordError */
  end(): void {
    for (const name of this.left.keys()) throw new UnsupportedKeywordError(name);
  }

  private constant(): unknown[] | undefined {
    return this.left.has('const') ? [this.take('const')] : undefined;
  }
}
