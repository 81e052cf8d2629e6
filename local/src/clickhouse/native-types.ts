/** A ClickHouse type: `Array(String)` has the name `Array` and the argument `String`. */
interface ParsedType {
  name: string;
  args: string[];
}

/** Parses the name and the arguments of a ClickHouse type. */
export function parseType(type: string): ParsedType {
  const open = type.indexOf('(');
  if (open < 0) return { name: type, args: [] };
  return { name: type.slice(0, open), args: splitOutside(type.slice(open + 1, -1), ',') };
}

/** Returns the types of the elements of a Tuple, Map or Nested; elements may have names. */
export function elementTypes(type: string): string[] {
  return parseType(type).args.map((element) => {
    const [first = '', ...rest] = splitOutside(element, ' ');
    return rest.length > 0 ? rest.join(' ') : first;
  });
}

const widths: Readonly<Record<number, readonly string[]>> = {
  1: ['Int8', 'UInt8', 'Bool', 'Enum8', 'Nothing'],
  2: ['Int16', 'UInt16', 'Enum16', 'Date', 'BFloat16'],
  4: ['Int32', 'UInt32', 'Float32', 'Date32', 'DateTime', 'IPv4', 'Time'],
  8: ['Int64', 'UInt64', 'Float64', 'DateTime64', 'Time64'],
  16: ['Int128', 'UInt128', 'UUID', 'IPv6'],
  32: ['Int256', 'UInt256'],
};

const widthByName = new Map(
  Object.entries(widths).flatMap(([width, names]) => names.map((name) => [name, Number(width)] as const)),
);

/** Returns the number of bytes of one value, or undefined for a type whose values have different lengths. */
export function widthOf(type: string): number | undefined {
  const { name, args } = parseType(type);
  const argument = Number(args[0]);
  if (name === 'FixedString') return argument;
  if (name === 'Decimal') return argument <= 9 ? 4 : argument <= 18 ? 8 : argument <= 38 ? 16 : 32;
  if (name.startsWith('Interval')) return 8;
  return widthByName.get(name);
}

/** Splits a text at separators that are in no brackets and no quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[\s\S]/g)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
