import { definitionNamePattern, definitionNameRule } from '#event';
import { memberValue } from '#cel';
import { tooMuchMade, type Known } from '../pipelines/run.js';
import { pipelineLimits } from '../pipelines/limits.js';
import { Members, object, refusal, text } from '../pipelines/members.js';
import { compileOperandKey } from './key.js';
import { attempting, OperatorError, type Operator } from './operator.js';
import { dataText, withMember } from './result-text.js';

/** An enrich, compiled. */
export interface Enrich {
  readonly operator: Operator;
  /** The projection that it asks; undefined where it has a table of its own. */
  readonly projection: string | undefined;
}

/** JSON text of what is known of a key, null where there is nothing; undefined when it has to be asked for. */
type Table = (key: string, known: Known) => string | null | undefined;

/**
 * `enrich`: puts what a projection or a table knows of a key into `data`, as it is at the time of processing; null where
 * there is nothing, or no key.
 * @throws DefinitionError
 */
export function compileEnrich(spec: unknown, at: string): Enrich {
  const members = new Members(spec, at, ['from', 'key', 'as']);
  const keyOf = compileOperandKey(members.any('key'), members.at('key'));
  const as = members.text('as', pipelineLimits.nameCharacters);
  const { table, projection } = compileTable(members.any('from'), members.at('from'));

  const keyed = attempting((flow) => ({ key: keyOf(flow) }), at);
  const enriched = (found: string) =>
    attempting((flow, run) => {
      const before = { text: flow.event.data, value: memberValue(flow.value, 'data') };
      const data = dataText(withMember(before, as, found), at);
      if (!run.remakes(data.length)) throw new OperatorError(at, tooMuchMade);
      return flow.with({ data, schema_version: null });
    }, at);
  const operator: Operator = (next) => (flow, run) => {
    const key = keyed(flow, run)?.key;
    if (key === undefined) return;
    const found = key === null ? null : table(key, run.known);
    if (found === undefined) {
      run.missing.push({ projection: projection as string, key: key as string });
      return;
    }
    const made = enriched(found ?? 'null')(flow, run);
    if (made) next(made, run);
  };
  return { operator, projection };
}

function compileTable(spec: unknown, pointer: string): { table: Table; projection: string | undefined } {
  const members = new Members(spec, pointer, ['projection', 'table']);
  if (members.has('projection') === members.has('table'))
    throw refusal(pointer, 'must have one of projection and table');
  if (!members.has('projection'))
    return { table: ownTable(members.any('table'), members.at('table')), projection: undefined };
  const projection = text(members.any('projection'), members.at('projection'), 100);
  if (!definitionNamePattern.test(projection)) throw refusal(members.at('projection'), definitionNameRule);
  return { table: (key, known) => known({ projection, key }), projection };
}

function ownTable(value: unknown, pointer: string): Table {
  const rows = Object.entries(object(value, pointer));
  if (rows.length > pipelineLimits.tableKeys)
    throw refusal(pointer, `has at most ${pipelineLimits.tableKeys} keys: use a projection`);
  const texts = new Map(rows.map(([key, row]) => [key, JSON.stringify(row)]));
  return (key) => texts.get(key) ?? null;
}
