/**
 * A CEL expression as a syntax tree, independent of the parser library. `parseExpression` returns it,
 * `compileCondition` compiles it, and `whereToSql` translates it into SQL with bound parameters, as far as ClickHouse
 * can evaluate it.
 */
export type Expression =
  | { kind: 'literal'; value: string | number | bigint | boolean | null; at: number }
  | { kind: 'list'; items: Expression[]; at: number }
  | { kind: 'map'; entries: [Expression, Expression][]; at: number }
  | { kind: 'variable'; name: string; at: number }
  | { kind: 'member'; object: Expression; name: string; at: number }
  | { kind: 'index'; object: Expression; index: Expression; at: number }
  | { kind: 'unary'; operator: '!' | '-'; operand: Expression; at: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression; at: number }
  | { kind: 'conditional'; test: Expression; then: Expression; else: Expression; at: number }
  /**
   * A call of a function, or of a method if `object` is not null. Macros such as `has` and `exists` are calls too.
   * `maxBytes` is set for `matches` with a literal pattern: the call is an error for a text with more bytes of UTF-8.
   */
  | {
      kind: 'call';
      name: string;
      object: Expression | null;
      args: Expression[];
      at: number;
      maxBytes?: number;
    };

/** A binary operator of CEL. */
export type BinaryOperator =
  '&&' | '||' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%' | 'in';
