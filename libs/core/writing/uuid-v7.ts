import { randomFillSync } from 'node:crypto';

const idsPerRefill = 512;
const tailBytes = 8;
const maxCounter = 0xfff;
const variants = '89ab';

/**
 * Generates UUIDv7 (RFC 9562): 48 bits of milliseconds, a counter of 12 bits in place of `rand_a` (method 1 of section
 * 6.2), and 62 random bits. The ids of one generator increase strictly, even if the clock steps back. If the counter
 * overflows within a millisecond, the next millisecond is used.
 */
export class UuidV7Generator {
  private readonly random = Buffer.alloc(idsPerRefill * tailBytes);
  private hex = '';
  private used = idsPerRefill;
  private millis = 0;
  private counter = 0;
  private prefix = '';

  constructor(private readonly now: () => number = Date.now) {}

  next(): string {
    this.tick();
    const at = this.takeRandom();
    const { hex } = this;
    const variant = variants[hex.charCodeAt(at) & 3]!;
    return (
      this.prefix +
      this.counter.toString(16).padStart(3, '0') +
      '-' +
      variant +
      hex.slice(at + 1, at + 4) +
      '-' +
      hex.slice(at + 4, at + 16)
    );
  }

  private tick(): void {
    const now = this.now();
    if (now > this.millis) this.startAt(now);
    else if (this.counter < maxCounter) this.counter++;
    else this.startAt(this.millis + 1);
  }

  private startAt(millis: number): void {
    this.millis = millis;
    this.counter = 0;
    const hex = millis.toString(16).padStart(12, '0');
    this.prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
  }

  /** Returns the index, in `hex`, of the next 16 unused random hexadecimal digits. */
  private takeRandom(): number {
    if (this.used === idsPerRefill) {
      this.hex = randomFillSync(this.random).toString('hex');
      this.used = 0;
    }
    return this.used++ * tailBytes * 2;
  }
}
