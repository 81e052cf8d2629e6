/** What stands where in an operator that is an expression: the pointer's parts after the operator's own. */
const inOperator = [
  /^filter$/,
  /^map\/(event_type|entity_id|data(\/[^/]+)+)$/,
  /^flat_map\/list$/,
  /^(enrich|dedupe|window)\/key$/,
  /^reduce\/[^/]+\/value$/,
  /^branch\/\d+\/when$/,
];

const operator = /^\/operators\/\d+(?:\/branch\/\d+\/operators\/\d+)*\/(.+)$/;

/** Whether what a pointer points at is an expression, with a text in it: what is wrong is the expression, then. */
export function isExpressionIn(definition: object, pointer: string): boolean {
  const inside = operator.exec(pointer)?.[1];
  const isPlace =
    inside === undefined ? pointer === '/source/where' : inOperator.some((place) => place.test(inside));
  return isPlace && typeof valueAt(definition, pointer) === 'string' && !countsOnly(definition, pointer);
}

/** `count` has no expression: one that is given is one too many, whatever it says. */
function countsOnly(definition: object, pointer: string): boolean {
  return pointer.endsWith('/value') && valueAt(definition, pointer.replace(/value$/, 'op')) === 'count';
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inner, part) => memberOf(inner, part), value);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
