/**
 * A CEL expression as a tree, free of the library that parsed it: `parseExpression` makes it, `compileCondition` evaluates it,
 * `whereToSql` translates the part that ClickHouse can evaluate into SQL with bound parameters.
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
   * A function or a method (`object` set); macros such as `has` and `exists` are calls too. `maxBytes` is of `matches`
   * with a pattern that is written out: it has no value for a text with more bytes of UTF-8.
   */
  | {
      kind: 'call';
      name: string;
      object: Expression | null;
      args: Expression[];
      at: number;
      maxBytes?: number;
    };

export type BinaryOperator =
  '&&' | '||' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%' | 'in';
