import { _, type Code, type CodeKeywordDefinition } from 'ajv/dist/2020.js';
import { Type } from 'ajv/dist/compile/util.js';

/**
 * In place of Ajv's `contains`, which takes the result of an earlier list for that of an empty one. Counts the items that
 * fit, and stops when there can be no other answer.
 */
export const containsKeyword: CodeKeywordDefinition = {
  keyword: 'contains',
  type: 'array',
  schemaType: ['object', 'boolean'],
  before: 'prefixItems',
  trackErrors: true,
  error: { message: '', params: ({ params }) => _`{minContains: ${params.min}, maxContains: ${params.max}}` },
  code(cxt) {
    const { gen, data, parentSchema } = cxt;
    const { minContains: min = 1, maxContains: max } = parentSchema as {
      minContains?: number;
      maxContains?: number;
    };
    cxt.setParams({ min, max: max === undefined ? _`undefined` : _`${max}` });
    const count = gen.let('count', 0);
    const length = gen.const('len', _`${data}.length`);
    const decided: Code = max === undefined ? _`${count} >= ${min}` : _`${count} > ${max}`;
    const fits = gen.name('valid');
    gen.forRange('i', 0, length, (index) => {
      cxt.subschema(
        { keyword: 'contains', dataProp: index, dataPropType: Type.Num, compositeRule: true },
        fits,
      );
      gen.if(fits, () => gen.code(_`${count}++`).if(decided, () => gen.break()));
    });
    const enough = max === undefined ? _`${count} >= ${min}` : _`${count} >= ${min} && ${count} <= ${max}`;
    cxt.result(enough, () => cxt.reset());
  },
};
