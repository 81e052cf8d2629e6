import { definitionNamePattern, definitionNameRule } from '#event';
import { memberValue } from '#cel';
import { DefinitionMemberReader, readObject, definitionError } from '#dataflow';
import { tooManyDerivedEvents, type FindProjectionState } from '../flow/event-outcome-collector.js';
import { pipelineLimits } from '../flow/limits.js';
import { compileOperandKey } from '../flow/operand.js';
import { checkedData, withMember } from '../flow/result-text.js';
import { catchOperatorError, OperatorError } from '../flow/step.js';
import type { OperatorImplementation } from './operator.js';

interface EnrichSpec {
  from: { projection: string } | { table: Readonly<Record<string, unknown>> };
  key: string;
  as: string;
}

const tableKeys = 1000;

/** Returns the value for a key as JSON text: null if there is none, undefined if it must be fetched first. */
type SideInput = (key: string, known: FindProjectionState) => string | null | undefined;

/** `enrich`: adds the value of a projection or a table for a key to `data`; null without a value or a key. */
export const enrich: OperatorImplementation<EnrichSpec> = {
  summary: '`{from, key, as}`, adds a value by key to `data`; `from` is `{projection}` or `{table}`.',
  effects: ({ from }, at) =>
    'projection' in from
      ? [{ kind: 'ask', projection: from.projection, pointer: `${at}/from/projection` }]
      : [],
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, ['from', 'key', 'as']);
    const keyOf = members.read('key', compileOperandKey);
    const as = members.text('as', pipelineLimits.nameCharacters);
    const { table, projection } = members.read('from', compileTable);

    const keyed = catchOperatorError((flow) => ({ key: keyOf(flow) }), at);
    const enriched = (found: string) =>
      catchOperatorError((flow, context) => {
        const before = { text: flow.event.data, value: () => memberValue(flow.value, 'data') };
        const data = checkedData(withMember(before, as, found), at);
        if (!context.remakes(data.length)) throw new OperatorError(at, tooManyDerivedEvents);
        return flow.with({ data, schema_version: null });
      }, at);
    return (next) => (flow, context) => {
      const key = keyed(flow, context)?.key;
      if (key === undefined) return;
      const found = key === null ? null : table(key, context.known);
      if (found === undefined) {
        context.missing.push({ projection: projection as string, key: key as string });
        return;
      }
      const made = enriched(found ?? 'null')(flow, context);
      if (made) next(made, context);
    };
  },
};

function compileTable(spec: unknown, pointer: string): { table: SideInput; projection: string | undefined } {
  const members = new DefinitionMemberReader(spec, pointer, ['projection', 'table']);
  if (members.has('projection') === members.has('table'))
    throw definitionError(pointer, 'must have one of projection and table');
  if (!members.has('projection'))
    return { table: members.read('table', literalTable), projection: undefined };
  const projection = members.text('projection', 100);
  if (!definitionNamePattern.test(projection))
    throw definitionError(members.at('projection'), definitionNameRule);
  return { table: (key, known) => known({ projection, key }), projection };
}

function literalTable(value: unknown, pointer: string): SideInput {
  const rows = Object.entries(readObject(value, pointer));
  if (rows.length > tableKeys)
    throw definitionError(pointer, `has at most ${tableKeys} keys: use a projection`);
  const texts = new Map(rows.map(([key, row]) => [key, JSON.stringify(row)]));
  return (key) => texts.get(key) ?? null;
}
