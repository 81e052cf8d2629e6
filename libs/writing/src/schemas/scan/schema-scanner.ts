import { JsonScanner } from '#event';
import { schemaBounds } from '#schemas';

/**
 * Scans a value as `JsonScanner.value` does: `level` is how many objects and arrays it stands in, and the index after it
 * is returned, or -1 after a failure. On the way it notes in the scanner when the value may not fit a schema.
 */
export type ValueScan = (scanner: SchemaScanner, start: number, level: number) => number;

/** A scanner that looks at schemas on its way. */
export class SchemaScanner extends JsonScanner {
  /** Whether what was scanned since `begin` fits for certain. False says nothing: it may fit all the same. */
  fits = false;
  private left = 0;

  /** Scans a value that is to fit. */
  check(scan: ValueScan, start: number, level: number): number {
    this.fits = true;
    this.left = schemaBounds.stepsOfEvent;
    return scan(this, start, level);
  }

  /** Whether it fits is left to the validator when this takes more steps than that may. */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) this.fits = false;
  }

  /** Goes on without looking at the value. */
  doubt(start: number, level: number): number {
    this.fits = false;
    return this.value(start, level);
  }
}

/** Of a value that may be anything. */
export const anyValue: ValueScan = (scanner, start, level) => scanner.value(start, level);

/** Of a value that is not allowed, or not looked at. */
export const doubtful: ValueScan = (scanner, start, level) => scanner.doubt(start, level);
