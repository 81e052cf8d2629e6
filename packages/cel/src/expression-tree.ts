/** A CEL expression as a syntax tree, independent of the parser library. */
export type ExpressionTree =
  | { kind: 'literal'; value: string | number | bigint | boolean | null; at: number }
  | { kind: 'list'; items: ExpressionTree[]; at: number }
  | { kind: 'map'; entries: [ExpressionTree, ExpressionTree][]; at: number }
  | { kind: 'variable'; name: string; at: number }
  | { kind: 'member'; object: ExpressionTree; name: string; at: number }
  | { kind: 'index'; object: ExpressionTree; index: ExpressionTree; at: number }
  | { kind: 'unary'; operator: '!' | '-'; operand: ExpressionTree; at: number }
  | { kind: 'binary'; operator: BinaryOperator; left: ExpressionTree; right: ExpressionTree; at: number }
  | { kind: 'conditional'; test: ExpressionTree; then: ExpressionTree; else: ExpressionTree; at: number }
  /**
   * A call of a function, or of a method if `object` is not null; also macros such as `has` and `exists`. `maxBytes` is
   * set for `matches` with a literal pattern: the call is an error for a text with more bytes of UTF-8.
   */
  | {
      kind: 'call';
      name: string;
      object: ExpressionTree | null;
      args: ExpressionTree[];
      at: number;
      maxBytes?: number;
    };

/** A call of a function, a method or a macro. */
export type CallExpression = Extract<ExpressionTree, { kind: 'call' }>;

/** A binary operator of CEL. */
export type BinaryOperator =
  '&&' | '||' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%' | 'in';

/** Returns the direct sub-expressions of an expression. */
export function subexpressionsOf(expression: ExpressionTree): readonly ExpressionTree[] {
  switch (expression.kind) {
    case 'literal':
    case 'variable':
      return [];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.flat();
    case 'member':
      return [expression.object];
    case 'index':
      return [expression.object, expression.index];
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'conditional':
      return [expression.test, expression.then, expression.else];
    case 'call':
      return [...(expression.object ? [expression.object] : []), ...expression.args];
  }
}
