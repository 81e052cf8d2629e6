import type { ExpressionTree } from '../expression-tree.js';
import { UntranslatableExpressionError } from '../errors.js';
import { enumerated, type SqlColumn, type SqlTable, type SqlValueBinder } from './sql-table.js';
import { columnNumber, decimalOfText } from './numbers.js';
import { exactJson, json, type JsonLocation, type SqlValue } from './sql-value.js';

type PathStep = { key: string } | { index: number };

type MemberAccess = Extract<ExpressionTree, { kind: 'variable' | 'member' | 'index' }>;

/** Translates a path such as `event.stream` or `event.data.a["b"][0]` to ClickHouse SQL. */
export function memberValue(expression: MemberAccess, table: SqlTable, params: SqlValueBinder): SqlValue {
  const { at } = expression;
  const [first, ...rest] = pathOf(expression, table);
  const name = first && 'key' in first ? first.key : undefined;
  const column = name !== undefined && Object.hasOwn(table.columns, name) ? table.columns[name] : undefined;
  if (column?.type === 'json') return jsonValue({ column: column.column, steps: rest, at }, params);
  if (column && rest.length === 0) return columnValue(column, at);
  const names = enumerated(Object.keys(table.columns));
  throw new UntranslatableExpressionError(`The members of ${table.variable} are ${names}.`, at);
}

function columnValue(column: Exclude<SqlColumn, { type: 'json' }>, at: number): SqlValue {
  const { type, sql, isNull } = column;
  const value: SqlValue = { at, exists: '1' };
  if (isNull !== undefined) value.isNull = isNull;
  if (type === 'time') return { ...value, timestamp: `toUnixTimestamp64Micro(${sql})` };
  return type === 'integer' ? { ...value, ...columnNumber(sql) } : { ...value, string: sql };
}

function jsonValue(
  { column, steps, at }: { column: string; steps: PathStep[]; at: number },
  params: SqlValueBinder,
): SqlValue {
  const path: JsonLocation = { column, steps: [] };
  const guards: string[] = [];
  for (const step of steps) {
    // JSON functions would also find members of an object by index.
    if ('index' in step) guards.push(`${json('JSONType', { column, steps: [...path.steps] })} = 'Array'`);
    path.steps.push('index' in step ? params.bind('Int64', step.index + 1) : params.bind('String', step.key));
  }
  const type = json('JSONType', path);
  const guarded = (condition: string) => [...guards, condition].join(' AND ');
  const isNumber = `${type} IN ('Int64', 'UInt64', 'Double')`;
  const when = (condition: string, sql: string) => `if(${guarded(condition)}, ${sql}, NULL)`;
  return {
    at,
    string: when(`${type} = 'String'`, json('JSONExtractString', path)),
    number: when(isNumber, json('JSONExtractFloat', path)),
    decimal: when(isNumber, decimalOfText(`trim(BOTH '"' FROM ${exactJson('JSONExtractRaw', path)})`)),
    bool: when(`${type} = 'Bool'`, json('JSONExtractBool', path)),
    isNull: guarded(`${json('JSONHas', path)} AND ${type} = 'Null'`),
    exists: guarded(steps.length === 0 ? '1' : json('JSONHas', path)),
    container: path,
    isContainer: guarded(`${type} IN ('Array', 'Object')`),
  };
}

/** Returns the path from the variable. @throws UntranslatableExpressionError for a computed index */
function pathOf(expression: ExpressionTree, table: SqlTable): PathStep[] {
  switch (expression.kind) {
    case 'variable':
      if (expression.name === table.variable) return [];
      throw new UntranslatableExpressionError(
        `There is no variable ${expression.name}; the only variable is ${table.variable}.`,
        expression.at,
      );
    case 'member':
      return [...pathOf(expression.object, table), { key: expression.name }];
    case 'index':
      return [...pathOf(expression.object, table), indexStep(expression.index)];
    default:
      throw new UntranslatableExpressionError(
        `Only ${enumerated([table.variable, ...jsonMembers(table)])} have members.`,
        expression.at,
      );
  }
}

function jsonMembers({ variable, columns }: SqlTable): string[] {
  const members = Object.keys(columns).filter((name) => columns[name]?.type === 'json');
  return members.map((name) => `${variable}.${name}`);
}

function indexStep(index: ExpressionTree): PathStep {
  if (index.kind === 'literal') {
    if (typeof index.value === 'string') return { key: index.value };
    const number = Number(index.value);
    if (typeof index.value === 'bigint' && number >= 0 && number < 0x7fff_ffff) return { index: number };
  }
  throw new UntranslatableExpressionError(
    'An index must be a literal: a string or a whole number from 0.',
    index.at,
  );
}
