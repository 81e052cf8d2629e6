import { argumentsOf, type SyntaxNode } from './syntax-tree.js';

/**
 * Functions, in lower case, that return a value for all arguments of the types that they accept: they never throw for
 * certain values, take about the same time for each value, and return nothing longer than their arguments. A function
 * that joins or quotes texts does not belong here: a text that doubles a few times takes memory, which shows.
 */
const total = new Set([
  ...['and', 'or', 'not', 'xor', 'equals', 'notequals', 'less', 'greater', 'lessorequals', 'greaterorequals'],
  ...['isnull', 'isnotnull', 'isdistinctfrom', 'isnotdistinctfrom', 'if', 'multiif', 'casewithexpression'],
  ...['coalesce', 'ifnull', 'nullif', 'assumenotnull', 'tonullable', 'tuple', 'has'],
  ...['in', 'notin', 'nullin', 'notnullin', 'globalin', 'globalnotin', 'globalnullin', 'globalnotnullin'],
  ...['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith'],
  ...['position', 'positioncaseinsensitive'],
  ...['empty', 'notempty', 'length', 'char_length', 'character_length', 'lengthutf8'],
  ...['lower', 'lcase', 'upper', 'ucase', 'substring', 'substr', 'mid', 'trimboth'],
  ...['toint8ornull', 'toint16ornull', 'toint32ornull', 'toint64ornull', 'todatetimeornull'],
  ...['touint8ornull', 'touint16ornull', 'touint32ornull', 'touint64ornull', 'tofloat64ornull'],
  ...['count', 'countif', 'any', 'anylast', 'min', 'max', 'uniq', 'uniqexact', 'row_number'],
]);

/** Functions, in lower case, that conditions may call with literals: they return one short value. */
const constant =
  /^(current_?(database|user|date|timestamp)|database|schema|version|now|today|yesterday|_?cast|to(u?int(8|16|32|64)|float(32|64)|date(32)?|datetime|string|bool|uuid))$/;

/** Types of which all values are short, or as long as their literal. */
const plainType = /^\\?'(Nullable\()?(String|U?Int\d+|Float\d+|Bool|UUID|Date(32|Time)?)\)?\\?'$/;

/** Whether a ClickHouse function of this name neither fails nor grows because of the values of its arguments. */
export function isTotalFunction(name: string): boolean {
  return total.has(name.toLowerCase());
}

/** Whether the call only writes one short value: `currentDatabase()`, or a literal with its type. */
export function isConstantCall(call: SyntaxNode): boolean {
  const [, type, ...others] = argumentsOf(call);
  const hasType = type === undefined || (plainType.test(type.name) && others.length === 0);
  return (
    constant.test(call.name.toLowerCase()) &&
    hasType &&
    argumentsOf(call).every(({ kind }) => kind === 'Literal')
  );
}
