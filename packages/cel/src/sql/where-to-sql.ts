import type { ExpressionTree } from '../expression-tree.js';
import { UntranslatableExpressionError } from '../errors.js';
import type { SqlTable, SqlValueBinder } from './sql-table.js';
import { arithmetic } from './arithmetic.js';
import { callValue } from './calls.js';
import { equality, ordering } from './comparison.js';
import { literalValue } from './literal.js';
import { computed } from './numbers.js';
import { memberValue } from './member.js';
import { inContainer, inList } from './membership.js';
import { kinds, requireKind, valueOf, type SqlValue } from './sql-value.js';

/** Maximum characters of SQL for one sub-expression: ClickHouse would plan more for longer than run it. */
const maxSql = 60_000;

/**
 * Returns the SQL condition for an expression on the rows of a table; the query defines `readableColumns` first. Rows
 * for which it is an error (a missing member, a wrong type) do not match. Every value is a bound parameter.
 * @throws UntranslatableExpressionError with the position of a part that has no translation
 */
export function whereToSql(expression: ExpressionTree, table: SqlTable, params: SqlValueBinder): string {
  const value = new WhereTranslator(table, params).translate(expression);
  return `ifNull(${requireKind(value, 'bool', 'A condition')}, 0)`;
}

/**
 * Returns the SQL of an expression as the nearest double (Nullable(Float64)), as `whereToSql` returns a condition: NULL in rows for
 * which it is an error or no number.
 * @throws UntranslatableExpressionError with the position of a part that has no translation
 */
export function numberToSql(expression: ExpressionTree, table: SqlTable, params: SqlValueBinder): string {
  return requireKind(new WhereTranslator(table, params).translate(expression), 'number', 'A value');
}

class WhereTranslator {
  constructor(
    private readonly table: SqlTable,
    private readonly params: SqlValueBinder,
  ) {}

  readonly translate = (expression: ExpressionTree): SqlValue => {
    const value = this.translated(expression);
    const longest = Math.max(value.exists.length, ...kinds.map((kind) => value[kind]?.length ?? 0));
    if (longest > maxSql)
      throw new UntranslatableExpressionError('The expression is too complex.', expression.at);
    return value;
  };

  private translated(expression: ExpressionTree): SqlValue {
    switch (expression.kind) {
      case 'literal':
        return literalValue(expression.value, expression.at, this.params);
      case 'variable':
      case 'member':
      case 'index':
        return memberValue(expression, this.table, this.params);
      case 'unary':
        return this.unary(expression);
      case 'binary':
        return this.binary(expression);
      case 'conditional':
        return this.conditional(expression);
      case 'call':
        return callValue(expression, this.params, this.translate);
      default:
        throw new UntranslatableExpressionError(
          `A ${expression.kind} is only supported as a literal on the right side of "in".`,
          expression.at,
        );
    }
  }

  private unary({ operator, operand, at }: Extract<ExpressionTree, { kind: 'unary' }>): SqlValue {
    const value = this.translate(operand);
    if (operator === '!') return valueOf('bool', `NOT (${requireKind(value, 'bool', '!')})`, at);
    return computed(`negate(${requireKind(value, 'decimal', '-')})`, at);
  }

  private binary({ operator, left, right, at }: Extract<ExpressionTree, { kind: 'binary' }>): SqlValue {
    if (operator === 'in') return this.membership(left, right, at);
    const sides: [SqlValue, SqlValue] = [this.translate(left), this.translate(right)];
    switch (operator) {
      case '&&':
      case '||': {
        const [a, b] = sides.map((side) => requireKind(side, 'bool', operator));
        return valueOf('bool', `(${a} ${operator === '&&' ? 'AND' : 'OR'} ${b})`, at);
      }
      case '==':
        return equality(...sides, at);
      case '!=':
        return valueOf('bool', `NOT (${equality(...sides, at).bool})`, at);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return ordering(operator, sides, at);
      default:
        return arithmetic(operator, sides, at);
    }
  }

  private membership(left: ExpressionTree, right: ExpressionTree, at: number): SqlValue {
    const value = this.translate(left);
    if (right.kind === 'list') return inList(value, right.items.map(this.translate), at);
    const container = right.kind === 'literal' ? undefined : this.translate(right).container;
    if (!container) {
      throw new UntranslatableExpressionError(
        'The right side of "in" must be a list or a member of a JSON column.',
        right.at,
      );
    }
    if (left.kind !== 'literal') {
      throw new UntranslatableExpressionError(
        'The left side of "in" must be a literal if the right side is a member.',
        left.at,
      );
    }
    return inContainer(value, container, at);
  }

  private conditional({
    test,
    then,
    else: otherwise,
    at,
  }: Extract<ExpressionTree, { kind: 'conditional' }>): SqlValue {
    const condition = requireKind(this.translate(test), 'bool', 'The condition before ?');
    const [a, b] = [this.translate(then), this.translate(otherwise)];
    const choice = (x = 'NULL', y = 'NULL') =>
      `multiIf(isNull(${condition}), NULL, ${condition}, ${x}, ${y})`;
    const result: SqlValue = { at, exists: `ifNull(${choice(a.exists, b.exists)}, 0)` };
    for (const kind of [...kinds, 'decimal'] as const) {
      if (a[kind] !== undefined || b[kind] !== undefined) result[kind] = choice(a[kind], b[kind]);
    }
    if (a.isComputed || b.isComputed) result.isComputed = true;
    if (a.isContainer !== undefined || b.isContainer !== undefined) {
      result.isContainer = choice(a.isContainer ?? '0', b.isContainer ?? '0');
    }
    if (a.isNull !== undefined || b.isNull !== undefined) {
      result.isNull = `ifNull(${choice(a.isNull ?? '0', b.isNull ?? '0')}, 0)`;
    }
    return result;
  }
}
