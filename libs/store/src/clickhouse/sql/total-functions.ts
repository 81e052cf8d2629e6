/**
 * Functions, in lower case, that return a value for all arguments of the types that they accept: they never throw for
 * certain values, and take about the same time for each value.
 */
const total = new Set([
  ...['and', 'or', 'not', 'xor', 'equals', 'notequals', 'less', 'greater', 'lessorequals', 'greaterorequals'],
  ...['isnull', 'isnotnull', 'isdistinctfrom', 'isnotdistinctfrom', 'if', 'multiif', 'casewithexpression'],
  ...['coalesce', 'ifnull', 'nullif', 'assumenotnull', 'tonullable', 'transform'],
  ...['in', 'notin', 'nullin', 'notnullin', 'globalin', 'globalnotin', 'globalnullin', 'globalnotnullin'],
  ...[
    'like',
    'notlike',
    'ilike',
    'notilike',
    'startswith',
    'endswith',
    'position',
    'positioncaseinsensitive',
  ],
  ...['empty', 'notempty', 'length', 'char_length', 'character_length', 'lengthutf8'],
  ...['concat', 'lower', 'lcase', 'upper', 'ucase', 'tostring', 'substring', 'substr', 'mid', 'trimboth'],
  ...['replaceall', 'replaceone', 'replace', 'tuple', 'array', 'has', 'arraydistinct', 'arraysort'],
  ...['toint8ornull', 'toint16ornull', 'toint32ornull', 'toint64ornull', 'todatetimeornull'],
  ...['touint8ornull', 'touint16ornull', 'touint32ornull', 'touint64ornull', 'tofloat64ornull'],
  ...[
    'count',
    'countif',
    'any',
    'anylast',
    'min',
    'max',
    'uniq',
    'uniqexact',
    'grouparray',
    'groupuniqarray',
  ],
  ...['row_number', 'splitbychar', 'arrayenumerate'],
]);

/** Whether a ClickHouse function of this name neither fails nor takes longer because of the values of its arguments. */
export function isTotalFunction(name: string): boolean {
  return total.has(name.toLowerCase());
}
