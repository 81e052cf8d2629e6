import type { ExpressionTree } from '../expression-tree.js';
import { UntranslatableExpressionError } from './untranslatable.js';
import type { SqlValueBinder } from './sql-value-binder.js';
import { columnNumber, decimalOfText } from './numbers.js';
import { exactJson, json, type JsonLocation, type SqlExpressionsByKind } from './sql-expressions-by-kind.js';

/** One step of a path into an event: the name of a member, or the index of a list element. */
type PathStep = { key: string } | { index: number };

type MemberAccess = Extract<ExpressionTree, { kind: 'variable' | 'member' | 'index' }>;

const texts: Record<string, string> = {
  event_id: 'toString(event_id)',
  // The column `stream` contains the stream's id, which begins with the stream's name.
  stream: "substringIndex(stream, '#', 1)",
  event_type: 'event_type',
};
const times = new Set(['timestamp', 'ingested_at']);
const integers = new Set(['partition', 'offset']);
/** Integer columns of ClickHouse in which 0 stands for null. */
const optionalIntegers = new Set(['version', 'schema_version']);

/** Translates a path such as `event.stream` or `event.data.a["b"][0]` to ClickHouse SQL. */
export function memberValue(expression: MemberAccess, params: SqlValueBinder): SqlExpressionsByKind {
  const [first, ...rest] = pathOf(expression);
  const name = first && 'key' in first ? first.key : undefined;
  if (name === 'data' || name === 'metadata')
    return jsonValue({ column: name, steps: rest, at: expression.at }, params);
  if (name === undefined || rest.length > 0 || !isColumn(name)) {
    throw new UntranslatableExpressionError(
      'An event has the members event_id, stream, event_type, entity_id, version, timestamp, ingested_at, ' +
        'schema_version, partition, offset, data and metadata.',
      expression.at,
    );
  }
  return columnValue(name, expression.at);
}

function isColumn(name: string): boolean {
  return (
    Object.hasOwn(texts, name) ||
    name === 'entity_id' ||
    times.has(name) ||
    integers.has(name) ||
    optionalIntegers.has(name)
  );
}

function columnValue(name: string, at: number): SqlExpressionsByKind {
  if (name === 'entity_id') {
    return { at, string: "nullIf(entity_id, '')", isNull: "entity_id = ''", exists: '1' };
  }
  if (times.has(name)) return { at, timestamp: `toUnixTimestamp64Micro(${name})`, exists: '1' };
  if (integers.has(name)) return { at, ...columnNumber(name), exists: '1' };
  if (optionalIntegers.has(name)) {
    return { at, ...columnNumber(`nullIf(${name}, 0)`), isNull: `${name} = 0`, exists: '1' };
  }
  return { at, string: texts[name], exists: '1' };
}

function jsonValue(
  { column, steps, at }: { column: 'data' | 'metadata'; steps: PathStep[]; at: number },
  params: SqlValueBinder,
): SqlExpressionsByKind {
  const place: JsonLocation = { column, steps: [] };
  const guards: string[] = [];
  for (const step of steps) {
    // JSON functions would also find members of an object by index.
    if ('index' in step) guards.push(`${json('JSONType', { column, steps: [...place.steps] })} = 'Array'`);
    place.steps.push(
      'index' in step ? params.bind('Int64', step.index + 1) : params.bind('String', step.key),
    );
  }
  const type = json('JSONType', place);
  const guarded = (condition: string) => [...guards, condition].join(' AND ');
  const isNumber = `${type} IN ('Int64', 'UInt64', 'Double')`;
  const when = (condition: string, sql: string) => `if(${guarded(condition)}, ${sql}, NULL)`;
  return {
    at,
    string: when(`${type} = 'String'`, json('JSONExtractString', place)),
    number: when(isNumber, json('JSONExtractFloat', place)),
    decimal: when(isNumber, decimalOfText(`trim(BOTH '"' FROM ${exactJson('JSONExtractRaw', place)})`)),
    bool: when(`${type} = 'Bool'`, json('JSONExtractBool', place)),
    isNull: guarded(`${json('JSONHas', place)} AND ${type} = 'Null'`),
    exists: guarded(steps.length === 0 ? '1' : json('JSONHas', place)),
    container: place,
    isContainer: guarded(`${type} IN ('Array', 'Object')`),
  };
}

/**
 * Returns the path of an expression from `event`.
 * @throws UntranslatableExpressionError for another variable or a computed index
 */
function pathOf(expression: ExpressionTree): PathStep[] {
  switch (expression.kind) {
    case 'variable':
      if (expression.name === 'event') return [];
      throw new UntranslatableExpressionError(
        `There is no variable ${expression.name}; the only variable is event.`,
        expression.at,
      );
    case 'member':
      return [...pathOf(expression.object), { key: expression.name }];
    case 'index':
      return [...pathOf(expression.object), indexStep(expression.index)];
    default:
      throw new UntranslatableExpressionError(
        'Only event, event.data and event.metadata have members.',
        expression.at,
      );
  }
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
