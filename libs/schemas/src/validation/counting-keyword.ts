import { _, type CodeKeywordDefinition } from 'ajv/dist/2020.js';
import type { Meter } from './meter.js';

/** Our keyword that counts: its value is the number of steps that a schema takes for one value. */
export const stepsKeyword = '$steps';

/** Takes the steps of a schema off the meter where its check begins. */
export function counting(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: stepsKeyword,
    schemaType: 'number',
    before: '$dynamicRef',
    code({ gen, schema }) {
      const counter = gen.scopeValue('obj', { ref: meter });
      gen.if(_`(${counter}.left -= ${Number(schema)}) < 0`, () => gen.throw(_`${counter}.exceeded`));
    },
  };
}
