const idsPerRefill = 256;
const bytesPerId = 8;
const mostInOneMillisecond = 0xfff;
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Generates UUIDv7 (RFC 9562): 48 bits of milliseconds, a counter of 12 bits, 62 random bits. Ids of one generator
 * increase strictly, even if the clock is set back.
 */
export class UuidV7Generator {
  private readonly random = new Uint8Array(idsPerRefill * bytesPerId);
  private used = idsPerRefill;
  private milliseconds = 0;
  private counter = 0;
  private prefix = '';

  constructor(private readonly now: () => number = Date.now) {}

  next(): string {
    this.tick();
    const counter = this.counter.toString(16).padStart(3, '0');
    const at = this.takeRandom();
    const variant = hexOfByte[(this.random[at]! & 0x3f) | 0x80]!;
    return `${this.prefix}${counter}-${variant}${this.hex(at + 1, at + 2)}-${this.hex(at + 2, at + 8)}`;
  }

  /** Advances the counter; an exhausted counter uses the next millisecond. */
  private tick(): void {
    const now = this.now();
    if (now > this.milliseconds) this.startAt(now);
    else if (this.counter < mostInOneMillisecond) this.counter++;
    else this.startAt(this.milliseconds + 1);
  }

  private startAt(milliseconds: number): void {
    this.milliseconds = milliseconds;
    this.counter = 0;
    const hex = milliseconds.toString(16).padStart(12, '0');
    this.prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
  }

  private takeRandom(): number {
    if (this.used === idsPerRefill) {
      crypto.getRandomValues(this.random);
      this.used = 0;
    }
    return this.used++ * bytesPerId;
  }

  private hex(start: number, end: number): string {
    let text = '';
    for (let at = start; at < end; at++) text += hexOfByte[this.random[at]!]!;
    return text;
  }
}
