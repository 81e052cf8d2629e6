/** A schema that has something that the checks of text do not look at. */
export class NotSimpleError extends Error {
  override readonly name = 'NotSimpleError';
}

/** Keywords that say something to people only; and `$defs`, which are nothing without `$ref`. */
const annotations = new Set(
  (
    '$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly ' +
    'writeOnly contentEncoding contentMediaType contentSchema'
  ).split(' '),
);

/** The keywords of one schema, which has been found usable. Each is taken once; in the end none may be left. */
export class Keywords {
  private readonly left: Map<string, unknown>;

  /** @throws NotSimpleError */
  constructor(schema: unknown) {
    if (typeof schema !== 'object' || schema === null) throw new NotSimpleError('nothing fits');
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

  /** The values of `enum` or `const`: strings, whose text is looked for, and null. @throws NotSimpleError */
  listed(): ReadonlySet<unknown> | undefined {
    const values = this.take<unknown[]>('enum') ?? this.constant();
    if (values?.some((value) => typeof value !== 'string' && value !== null))
      throw new NotSimpleError('enum');
    return values && new Set(values);
  }

  /** @throws NotSimpleError */
  end(): void {
    for (const name of this.left.keys()) throw new NotSimpleError(name);
  }

  private constant(): unknown[] | undefined {
    return this.left.has('const') ? [this.take('const')] : undefined;
  }
}
