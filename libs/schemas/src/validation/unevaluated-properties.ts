import {
  _,
  Name,
  type Code,
  type CodeGen,
  type CodeKeywordDefinition,
  type KeywordCxt,
} from 'ajv/dist/2020.js';
import { not } from 'ajv/dist/compile/codegen/index.js';
import { Type } from 'ajv/dist/compile/util.js';
import type { Meter } from './meter.js';

/** Ajv's variable in compiled code. */
const countOfErrors = new Name('errors');

/**
 * In place of Ajv's, which takes `constructor` and the like for looked at: the names that were looked at are asked for as
 * own members only, and going through all members is counted.
 */
export function unevaluatedProperties(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: 'unevaluatedProperties',
    type: 'object',
    schemaType: ['boolean', 'object'],
    trackErrors: true,
    error: {
      message: '',
      params: ({ params }) => _`{unevaluatedProperty: ${params.unevaluatedProperty}}`,
    },
    code(cxt) {
      const { gen, data, it, errsCount } = cxt;
      if (it.props !== true && cxt.schema !== true) {
        const counter = gen.scopeValue('obj', { ref: meter });
        const wasLookedAt = lookedAt(gen, it.props);
        gen.forIn('key', data, (key) => {
          gen.code(_`${counter}.charge(8)`);
          gen.if(not(wasLookedAt(key)), () => refuseMember(cxt, key));
        });
      }
      it.props = true;
      cxt.ok(_`${errsCount} === ${countOfErrors}`);
    },
  };
}

type Evaluated = KeywordCxt['it']['props'];

/** `props` are names known when compiling, or a variable that holds true or an object of names. */
function lookedAt(gen: CodeGen, props: Evaluated): (key: Name) => Code {
  if (props instanceof Name) {
    const has = gen.scopeValue('func', { ref: Object.hasOwn });
    return (key) => _`(${props} === true || ${props} && ${has}(${props}, ${key}))`;
  }
  const known = gen.scopeValue('obj', { ref: new Set(Object.keys(props ?? {})) });
  return (key) => _`${known}.has(${key})`;
}

function refuseMember(cxt: KeywordCxt, key: Name): void {
  const { gen, it } = cxt;
  if (cxt.schema === false) {
    cxt.setParams({ unevaluatedProperty: key });
    cxt.error();
    if (!it.allErrors) gen.break();
    return;
  }
  const valid = gen.name('valid');
  cxt.subschema({ keyword: 'unevaluatedProperties', dataProp: key, dataPropType: Type.Str }, valid);
  if (!it.allErrors) gen.if(not(valid), () => gen.break());
}
