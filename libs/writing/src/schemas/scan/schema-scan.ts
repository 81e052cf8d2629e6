import { excessOf } from '#schemas';
import { arrayScan } from './array-scan.js';
import { Keywords, NotSimpleError } from './keywords.js';
import { integerScan, numberScan } from './number-scan.js';
import { objectScan } from './object-scan.js';
import { anyValue, doubtful, type ValueScan } from './schema-scanner.js';
import { listedStringScan, stringScan } from './string-scan.js';

const kinds = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
type Scans = Record<(typeof kinds)[number], ValueScan>;

/**
 * A scan that checks JSON text against a JSON Schema on its way, for the most frequent case: schemas of types,
 * properties, bounds, lists of values, patterns and formats. `data` is scanned in any case; looking at it then costs a
 * quarter of what `JSON.parse` and a validator cost afterwards. Undefined for schemas with other keywords.
 *
 * It only ever says that data fits. Where it does not, the validator decides, whose rules these are.
 */
export function schemaScanOf(schema: unknown): ValueScan | undefined {
  try {
    return scanOf(schema);
  } catch (error) {
    if (error instanceof NotSimpleError) return undefined;
    throw error;
  }
}

/** @throws NotSimpleError */
function scanOf(schema: unknown): ValueScan {
  if (schema === true) return anyValue;
  const keywords = new Keywords(schema);
  const scans: Scans = {
    object: objectScan(keywords, scanOf),
    array: arrayScan(keywords, scanOf),
    string: stringScan(keywords),
    number: numberScan(keywords),
    boolean: anyValue,
    null: anyValue,
  };
  const allowed = ofTypes(keywords.types(), ofListed(keywords.listed(), scans));
  keywords.end();
  return charged(byFirstCharacter(allowed), excessOf(schema));
}

/** Schemas that name many things take many steps for each value, however short it is. */
function charged(scan: ValueScan, steps: number): ValueScan {
  if (steps === 0) return scan;
  return (scanner, start, level) => {
    scanner.charge(steps);
    return scan(scanner, start, level);
  };
}

/** Where values are listed, only these. */
function ofListed(listed: ReadonlySet<unknown> | undefined, scans: Scans): Scans {
  if (!listed) return scans;
  return {
    ...{ object: doubtful, array: doubtful, number: doubtful, boolean: doubtful },
    string: listedStringScan(listed, scans.string),
    null: listed.has(null) ? scans.null : doubtful,
  };
}

function ofTypes(types: ReadonlySet<unknown> | undefined, scans: Scans): Scans {
  if (!types) return scans;
  const allowed = { ...scans };
  for (const kind of kinds) if (!types.has(kind)) allowed[kind] = doubtful;
  if (types.has('integer') && !types.has('number')) allowed.number = integerScan(scans.number);
  return allowed;
}

function byFirstCharacter({ object, array, string, number, boolean, null: none }: Scans): ValueScan {
  return (scanner, start, level) => {
    switch (scanner.text.charCodeAt(start)) {
      case 0x22:
        return string(scanner, start, level);
      case 0x7b:
        return object(scanner, start, level);
      case 0x5b:
        return array(scanner, start, level);
      case 0x74:
      case 0x66:
        return boolean(scanner, start, level);
      case 0x6e:
        return none(scanner, start, level);
      default:
        return number(scanner, start, level);
    }
  };
}
