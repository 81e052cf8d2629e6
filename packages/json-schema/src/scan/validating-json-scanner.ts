import { JsonScanner } from '#json';
import { schemaBounds } from '../bounds.js';

/**
 * A function that scans the JSON value at `start` and validates it against one schema. `level` is the number of
 * surrounding objects and arrays. A value scan returns the index after the value, or -1 if the value is not valid JSON,
 * and sets `scanner.fits` to false unless the value certainly matches the schema.
 */
export type ScanningValidator = (scanner: ValidatingJsonScanner, start: number, level: number) => number;

/** A JSON scanner that can also validate values against schemas while it scans them. */
export class ValidatingJsonScanner extends JsonScanner {
  /** Whether the value that `check` has scanned certainly matches its schema. If false, the value may match anyway. */
  fits = false;
  private left = 0;

  /** Scans the value at `start` with a schema's scan, and sets `fits`. */
  check(scan: ScanningValidator, start: number, level: number): number {
    this.fits = true;
    this.left = schemaBounds.stepsOfText;
    return scan(this, start, level);
  }

  /**
   * Counts validation steps. After too many steps for one event, `fits` becomes false, and the validator decides later.
   */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) this.fits = false;
  }

  /** Scans a value without validating it, and sets `fits` to false. */
  doubt(start: number, level: number): number {
    this.fits = false;
    return this.value(start, level);
  }
}

/** Scan of a value that matches its schema whatever it is. */
export const anyValue: ScanningValidator = (scanner, start, level) => scanner.value(start, level);

/** Scan of a value that does not match its schema, or that is left to the validator: it sets `fits` to false. */
export const unvalidatedValue: ScanningValidator = (scanner, start, level) => scanner.doubt(start, level);
