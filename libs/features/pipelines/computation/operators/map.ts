import { hasCharacters, jsonPointerTo } from '#json';
import { plainTextPattern, plainTextRule } from '#api';
import { limits } from '#event';
import { anyKind, kinds } from '#cel';
import {
  collectErrors,
  DefinitionError,
  type DefinitionProblem,
  type FoldEvent,
  DefinitionMemberReader,
  readObject,
  definitionError,
} from '#dataflow';
import { tooManyDerivedEvents } from '../flow/event-outcome-collector.js';
import { compileOperand, compileOperandKey } from '../flow/operand.js';
import { checkedData, valueText } from '../flow/result-text.js';
import { catchOperatorError, OperatorError } from '../flow/step.js';
import type { OperatorImplementation } from './operator.js';

type JsonTextFunction = (event: FoldEvent) => string;

const mostLevels = 16;

/**
 * `map`: replaces `data`, and sets `event_type` and `entity_id`; all expressions read the event as it was before.
 * Numbers keep all their digits; times become RFC 3339 strings.
 */
export const map: OperatorImplementation = {
  summary: '`{data?, event_type?, entity_id?}`, expressions for the new values.',
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, ['data', 'event_type', 'entity_id']);
    const errors: DefinitionProblem[] = [];
    const part = <T>(name: string, compile: (value: unknown, pointer: string) => T): T | undefined =>
      collectErrors(errors, () => members.optional(name, compile));
    const data = part('data', (value, pointer) => compileData(value, pointer));
    const type = part('event_type', compileEventType);
    const entity = part('entity_id', compileOperandKey);
    if (errors.length > 0) throw new DefinitionError(errors);
    if (!data && !type && !entity)
      throw definitionError(at, 'must have at least one of data, event_type and entity_id');

    const dataPointer = members.at('data');
    const mapped = catchOperatorError((flow, context) => {
      const made = data ? checkedData(data(flow), dataPointer) : flow.event.data;
      if (data && !context.remakes(made.length)) throw new OperatorError(dataPointer, tooManyDerivedEvents);
      return flow.with({
        data: made,
        event_type: type ? type(flow) : flow.event.event_type,
        entity_id: entity ? entity(flow) : flow.event.entity_id,
        schema_version: null,
      });
    }, at);
    return (next) => (flow, context) => {
      const made = mapped(flow, context);
      if (made) next(made, context);
    };
  },
};

/** Compiles an object of expressions to a function that returns its JSON text: one concatenation for each call. */
function compileData(spec: unknown, pointer: string, depth = 1): JsonTextFunction {
  const members = Object.entries(readObject(spec, pointer));
  if (depth > mostLevels) throw definitionError(pointer, `is nested more than ${mostLevels} levels deep`);
  const errors: DefinitionProblem[] = [];
  const parts = members.map(([name, value], i) => {
    const text = collectErrors(errors, () => compileMember(value, jsonPointerTo(pointer, name), depth));
    return { before: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`, text: text as JsonTextFunction };
  });
  if (errors.length > 0) throw new DefinitionError(errors);
  if (parts.length === 0) return () => '{}';
  return (event) => {
    let made = '';
    for (const { before, text } of parts) made += before + text(event);
    return `${made}}`;
  };
}

function compileMember(value: unknown, pointer: string, depth: number): JsonTextFunction {
  if (typeof value === 'object' && value !== null) return compileData(value, pointer, depth + 1);
  if (typeof value !== 'string') {
    const example = typeof value === 'number' || typeof value === 'boolean' ? `, such as "${value}"` : '';
    throw definitionError(
      pointer,
      `must be an expression in a string${example}, or an object of expressions`,
    );
  }
  const operand = compileOperand(value, pointer, anyKind);
  return (event) => valueText(operand(event), pointer);
}

function compileEventType(value: unknown, pointer: string): JsonTextFunction {
  const operand = compileOperand(value, pointer, kinds.string);
  return (event) => {
    const type = operand(event) as string;
    const isType = hasCharacters(type, { most: limits.eventTypeCharacters }) && plainTextPattern.test(type);
    if (isType) return type;
    const rule = `has 1 to ${limits.eventTypeCharacters} characters and ${plainTextRule}`;
    throw new OperatorError(pointer, `An event_type ${rule}.`);
  };
}
