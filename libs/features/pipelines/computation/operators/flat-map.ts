import { kinds, isObject, type CelValue, memberValue } from '#cel';
import { DefinitionMemberReader } from '#dataflow';
import { derivedEventLimits, tooManyDerivedEvents } from '../flow/event-outcome-collector.js';
import type { LazilyParsedEvent } from '../flow/lazily-parsed-event.js';
import { pipelineLimits } from '../flow/limits.js';
import { compileOperand } from '../flow/operand.js';
import { checkedData, valueText, withMember } from '../flow/result-text.js';
import { catchOperatorError, OperatorError } from '../flow/step.js';
import type { OperatorImplementation } from './operator.js';

/** Digits of an index in the emission index: indices of equal length sort as text. */
const digits = String(derivedEventLimits.events - 1).length;

/**
 * `flat_map`: derives one event from each element of a list. With `as`, the element becomes that member of `data`;
 * without it, it must be an object and becomes the new `data`.
 */
export const flatMap: OperatorImplementation = {
  summary: '`{list, as?}`, one event for each element of a list.',
  isMultiple: true,
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, ['list', 'as']);
    const pointer = members.at('list');
    const list = compileOperand(members.any('list'), pointer, kinds.list);
    const as = members.optionalText('as', pipelineLimits.nameCharacters);
    const partOf =
      as === undefined
        ? (_: LazilyParsedEvent, item: CelValue) => elementText(item, pointer)
        : memberOf(as, pointer);

    const dataOfParts = catchOperatorError((flow, context) => {
      const items = list(flow) as readonly CelValue[];
      if (!context.makes(items.length, 0)) throw new OperatorError(pointer, tooManyDerivedEvents);
      return items.map((item) => {
        const data = checkedData(partOf(flow, item), pointer);
        if (!context.makes(0, data.length)) throw new OperatorError(pointer, tooManyDerivedEvents);
        return data;
      });
    }, at);
    return (next) => (flow, context) => {
      const parts = dataOfParts(flow, context);
      if (!parts) return;
      if (parts.length === 0) context.outcomes.push({ kind: 'drop', at, reason: 'The list is empty.', flow });
      parts.forEach((data, i) =>
        next(flow.part({ data, schema_version: null }, String(i).padStart(digits, '0')), context),
      );
    };
  },
};

function elementText(item: CelValue, pointer: string): string {
  if (isObject(item)) return valueText(item, pointer);
  throw new OperatorError(pointer, 'An element is not an object: name a member of data for it with "as".');
}

function memberOf(as: string, pointer: string): (flow: LazilyParsedEvent, item: CelValue) => string {
  return (flow, item) => {
    const object = { text: flow.event.data, value: () => memberValue(flow.value, 'data') };
    return withMember(object, as, valueText(item, pointer));
  };
}
