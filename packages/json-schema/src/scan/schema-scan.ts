import { excessStepsOf } from '../document/cost-errors.js';
import { arrayScan } from './array-scan.js';
import { SchemaKeywordReader, UnsupportedKeywordError } from './keywords.js';
import { integerScan, numberScan } from './number-scan.js';
import { objectScan } from './object-scan.js';
import { anyValue, unvalidatedValue, type ScanningValidator } from './validating-json-scanner.js';
import { listedStringScan, stringScan } from './string-scan.js';

const kinds = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
type Scans = Record<(typeof kinds)[number], ScanningValidator>;

/**
 * Returns a scan that validates JSON text against a JSON Schema while it scans the text. The scan supports frequent
 * schemas: types, properties, bounds, lists of values, patterns and formats; the result is undefined for schemas with
 * other keywords. `data` is scanned in any case. The validation adds a quarter of the cost of `JSON.parse` and a
 * validator.
 *
 * A positive result is certain. If the scan is not positive, the validator decides, whose rules are authoritative.
 */
export function schemaScanOf(schema: unknown): ScanningValidator | undefined {
  try {
    return scanOf(schema);
  } catch (error) {
    if (error instanceof UnsupportedKeywordError) return undefined;
    throw error;
  }
}

/**
 * Returns the scan that validates values against a schema. @throws UnsupportedKeywordError when the schema is not
 * supported
 */
function scanOf(schema: unknown): ScanningValidator {
  if (schema === true) return anyValue;
  const keywords = new SchemaKeywordReader(schema);
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
  return charged(byFirstCharacter(allowed), excessStepsOf(schema));
}

/**
 * Returns the scan, extended so that it counts `steps` validation steps for each value: a schema with many keywords or
 * enum values takes many steps even for a short value.
 */
function charged(scan: ScanningValidator, steps: number): ScanningValidator {
  if (steps === 0) return scan;
  return (scanner, start, level) => {
    scanner.charge(steps);
    return scan(scanner, start, level);
  };
}

/** Restricts the scans to the values that `enum` or `const` lists, if the schema has one of them. */
function ofListed(listed: ReadonlySet<unknown> | undefined, scans: Scans): Scans {
  if (!listed) return scans;
  return {
    ...{
      object: unvalidatedValue,
      array: unvalidatedValue,
      number: unvalidatedValue,
      boolean: unvalidatedValue,
    },
    string: listedStringScan(listed, scans.string),
    null: listed.has(null) ? scans.null : unvalidatedValue,
  };
}

function ofTypes(types: ReadonlySet<unknown> | undefined, scans: Scans): Scans {
  if (!types) return scans;
  const allowed = { ...scans };
  for (const kind of kinds) if (!types.has(kind)) allowed[kind] = unvalidatedValue;
  if (types.has('integer') && !types.has('number')) allowed.number = integerScan(scans.number);
  return allowed;
}

function byFirstCharacter({ object, array, string, number, boolean, null: none }: Scans): ScanningValidator {
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
