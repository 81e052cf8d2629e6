import { definitionNamePattern, definitionNameRule } from '#event';
import { kinds, memberValue, type Timestamp } from '#cel';
import { DefinitionMemberReader, readObject, definitionError } from '#dataflow';
import { tooManyDerivedEvents } from '../flow/event-outcome-collector.js';
import { pipelineLimits } from '../flow/limits.js';
import { compileOperand, compileOperandKey } from '../flow/operand.js';
import type { ProjectionAnswer } from '../flow/pipeline.js';
import { checkedData, withMember } from '../flow/result-text.js';
import { catchOperatorError, OperatorError } from '../flow/step.js';
import type { OperatorImplementation } from './operator.js';

interface EnrichSpec {
  from: { projection: string } | { table: Readonly<Record<string, unknown>> };
  key: string;
  as: string;
  as_of?: string;
}

const tableKeys = 1000;

type SideInput =
  | { readonly projection: string; readonly table?: undefined }
  /** Values by key, as JSON text. */
  | { readonly table: ReadonlyMap<string, string>; readonly projection?: undefined };

/**
 * `enrich`: adds the value of a projection or a table for a key to `data`; null without a value or a key. With `as_of`, it
 * adds the state of the projection as of a time, of the events that had been ingested before this event was.
 */
export const enrich: OperatorImplementation<EnrichSpec> = {
  summary:
    '`{from, key, as, as_of?}`, adds a value by key to `data`; `from` is `{projection}` or `{table}`. With `as_of`, an ' +
    'expression such as `event.timestamp`, the state of the projection as of that time.',
  effects: ({ from, as_of }, at) => {
    if (!('projection' in from)) return [];
    const asOf = as_of === undefined ? {} : { asOf: `${at}/as_of` };
    return [{ kind: 'ask', projection: from.projection, pointer: `${at}/from/projection`, ...asOf }];
  },
  compile(spec, { at, isAfterState }) {
    const members = new DefinitionMemberReader(spec, at, ['from', 'key', 'as', 'as_of']);
    const keyOf = members.read('key', compileOperandKey);
    const as = members.text('as', pipelineLimits.nameCharacters);
    const { table, projection } = members.read('from', compileFrom);
    const timeOf = members.optional('as_of', (expression, pointer) => {
      if (projection === undefined) throw definitionError(pointer, 'needs `from` with a projection');
      if (isAfterState) throw definitionError(pointer, asOfAfterState);
      return compileOperand(expression, pointer, kinds.timestamp);
    });

    const lookupOf = catchOperatorError((flow) => {
      const key = keyOf(flow);
      const time = timeOf && key !== null ? (timeOf(flow) as Timestamp).micros : undefined;
      return { key, ...(time !== undefined && { asOf: { time, known: flow.event.ingested_at } }) };
    }, at);
    const enriched = (found: ProjectionAnswer) =>
      catchOperatorError((flow, context) => {
        if (found !== null && typeof found !== 'string')
          throw new OperatorError(members.at('as_of'), found.detail);
        const before = { text: flow.event.data, value: () => memberValue(flow.value, 'data') };
        const data = checkedData(withMember(before, as, found ?? 'null'), at);
        if (!context.remakes(data.length)) throw new OperatorError(at, tooManyDerivedEvents);
        return flow.with({ data, schema_version: null });
      }, at);
    return (next) => (flow, context) => {
      const desired = lookupOf(flow, context);
      if (desired === undefined) return;
      const { key, asOf } = desired;
      let found: ProjectionAnswer | undefined = null;
      if (key !== null && table) found = table.get(key) ?? null;
      else if (key !== null && projection !== undefined) {
        const lookup = { projection, key, asOf };
        found = context.known(lookup);
        if (found === undefined) {
          context.missing.push(lookup);
          return;
        }
      }
      const made = enriched(found)(flow, context);
      if (made) next(made, context);
    };
  },
};

const asOfAfterState =
  'is possible only before the first operator with state: it needs to know when an event of a source stream was ingested';

function compileFrom(spec: unknown, pointer: string): SideInput {
  const members = new DefinitionMemberReader(spec, pointer, ['projection', 'table']);
  if (members.has('projection') === members.has('table'))
    throw definitionError(pointer, 'must have one of projection and table');
  if (!members.has('projection')) return { table: members.read('table', literalTable) };
  const projection = members.text('projection', 100);
  if (!definitionNamePattern.test(projection))
    throw definitionError(members.at('projection'), definitionNameRule);
  return { projection };
}

function literalTable(value: unknown, pointer: string): ReadonlyMap<string, string> {
  const rows = Object.entries(readObject(value, pointer));
  if (rows.length > tableKeys)
    throw definitionError(pointer, `has at most ${tableKeys} keys: use a projection`);
  return new Map(rows.map(([key, row]) => [key, JSON.stringify(row)]));
}
