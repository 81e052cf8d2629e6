import { JsonScanner } from '#event';
import { schemaBounds } from '#schemas';

/**
 * Scans a value like `JsonScanner.value`: `level` is the number of surrounding objects and arrays. Returns the index
 * after the value, or -1 after a failure. It sets `scanner.fits` to false if the value may not match the schema.
 */
export type ValueScan = (scanner: SchemaScanner, start: number, level: number) => number;

/** A JSON scanner that also validates values against schemas. */
export class SchemaScanner extends JsonScanner {
  /** Whether the value scanned since `check` certainly matches its schema. If false, it may match anyway. */
  fits = false;
  private left = 0;

  /** Scans a value and validates it. */
  check(scan: ValueScan, start: number, level: number): number {
    this.fits = true;
    this.left = schemaBounds.stepsOfEvent;
    return scan(this, start, level);
  }

  /** Counts steps of the validation. After too many steps the validator decides whether the value matches. */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) this.fits = false;
  }

  /** Scans the value without validating it. */
  doubt(start: number, level: number): number {
    this.fits = false;
    return this.value(start, level);
  }
}

/** Scan of a value that may be anything. */
export const anyValue: ValueScan = (scanner, start, level) => scanner.value(start, level);

/** Scan of a value that is not allowed or not validated. */
export const unvalidatedValue: ValueScan = (scanner, start, level) => scanner.doubt(start, level);
