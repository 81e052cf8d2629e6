import type { Socket } from 'node:net';

/** Delays the bytes to a socket by a number of milliseconds that may change, and keeps their order. */
export class DelayLine {
  private readonly waiting: { chunk: Buffer; due: number }[] = [];

  constructor(private readonly to: Socket) {}

  send(chunk: Buffer, delayMs: number): void {
    if (chunk.length === 0) return;
    const last = this.waiting.at(-1)?.due ?? 0;
    this.waiting.push({ chunk, due: Math.max(Date.now() + delayMs, last) });
    if (this.waiting.length === 1) this.next();
  }

  private next(): void {
    while (this.waiting[0]) {
      const [{ chunk, due }] = this.waiting as [{ chunk: Buffer; due: number }];
      const early = due - Date.now();
      if (early > 0) {
        setTimeout(() => this.next(), early);
        return;
      }
      this.waiting.shift();
      if (this.to.writable) this.to.write(chunk);
    }
  }
}
