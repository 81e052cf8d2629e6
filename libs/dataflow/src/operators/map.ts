import { hasCharacters, type InputError, plainTextPattern, plainTextRule } from '#api';
import { limits, pointerTo } from '#event';
import { anyKind, kinds } from '#cel';
import { DefinitionError } from '../folds/definition-error.js';
import type { FoldEvent } from '../folds/fold-event.js';
import { pipelineLimits } from '../pipelines/limits.js';
import { collecting, Members, object, refusal } from '../pipelines/members.js';
import { tooMuchMade } from '../pipelines/run.js';
import { compileOperandKey } from './key.js';
import { attempting, compileOperand, OperatorError, type Operator } from './operator.js';
import { dataText, valueText } from './result-text.js';

type Text = (event: FoldEvent) => string;

/**
 * `map`: makes `data` anew, of expressions on the event as it was, and sets `event_type` and `entity_id`. What is not named
 * stays as it is. Numbers keep all their digits; times become RFC 3339 texts.
 * @throws DefinitionError with every error of every expression
 */
export function compileMap(spec: unknown, at: string): Operator {
  const members = new Members(spec, at, ['data', 'event_type', 'entity_id']);
  const errors: InputError[] = [];
  const part = <T>(name: string, compile: (value: unknown, pointer: string) => T): T | undefined =>
    members.has(name) ? collecting(errors, () => compile(members.any(name), members.at(name))) : undefined;
  const data = part('data', (value, pointer) => compileData(value, pointer));
  const type = part('event_type', compileEventType);
  const entity = part('entity_id', compileOperandKey);
  if (errors.length > 0) throw new DefinitionError(errors);
  if (!data && !type && !entity)
    throw refusal(at, 'must have at least one of data, event_type and entity_id');

  const dataPointer = members.at('data');
  const mapped = attempting((flow, run) => {
    const made = data ? dataText(data(flow), dataPointer) : flow.event.data;
    if (data && !run.remakes(made.length)) throw new OperatorError(dataPointer, tooMuchMade);
    return flow.with({
      data: made,
      event_type: type ? type(flow) : flow.event.event_type,
      entity_id: entity ? entity(flow) : flow.event.entity_id,
      schema_version: null,
    });
  }, at);
  return (next) => (flow, run) => {
    const made = mapped(flow, run);
    if (made) next(made, run);
  };
}

/** Texts around expressions, so that the result is one concatenation. */
function compileData(spec: unknown, pointer: string, depth = 1): Text {
  const members = Object.entries(object(spec, pointer));
  if (depth > pipelineLimits.mapDepth)
    throw refusal(pointer, `is nested more than ${pipelineLimits.mapDepth} levels deep`);
  const errors: InputError[] = [];
  const parts = members.map(([name, value], i) => {
    const text = collecting(errors, () => compileMember(value, pointerTo(pointer, name), depth));
    return { before: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`, text: text as Text };
  });
  if (errors.length > 0) throw new DefinitionError(errors);
  if (parts.length === 0) return () => '{}';
  return (event) => {
    let made = '';
    for (const { before, text } of parts) made += before + text(event);
    return `${made}}`;
  };
}

function compileMember(value: unknown, pointer: string, depth: number): Text {
  if (typeof value === 'object' && value !== null) return compileData(value, pointer, depth + 1);
  if (typeof value !== 'string') {
    const example = typeof value === 'number' || typeof value === 'boolean' ? `, such as "${value}"` : '';
    throw refusal(pointer, `must be an expression, which is a text${example}, or an object of expressions`);
  }
  const operand = compileOperand(value, pointer, anyKind);
  return (event) => valueText(operand(event), pointer);
}

function compileEventType(value: unknown, pointer: string): Text {
  const operand = compileOperand(value, pointer, kinds.string);
  return (event) => {
    const type = operand(event) as string;
    const isType = hasCharacters(type, { most: limits.eventTypeCharacters }) && plainTextPattern.test(type);
    if (isType) return type;
    const rule = `has 1 to ${limits.eventTypeCharacters} characters and ${plainTextRule}`;
    throw new OperatorError(pointer, `An event_type ${rule}.`);
  };
}
