import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readable } from './readable-line.js';

export interface ServiceLogOptions {
  /** Where `<name>.log` is written. */
  folder: string;
  name: string;
  /** At this size the file becomes `<name>.1.log`, and a new one begins. */
  maxBytes?: number;
  /** What a person at the terminal should see. */
  show: (line: string) => void;
}

const maxTail = 20;

/** Where the lines of one service go: all to a file of bounded size, what is wrong also to the terminal. */
export class ServiceLog {
  private fd: number;
  private bytes: number;
  private readonly lastLines: string[] = [];

  constructor(private readonly options: ServiceLogOptions) {
    mkdirSync(options.folder, { recursive: true });
    this.fd = openSync(this.file, 'a');
    this.bytes = fstatSync(this.fd).size;
  }

  get file(): string {
    return join(this.options.folder, `${this.options.name}.log`);
  }

  /** The last lines, shortened for the terminal. */
  tail(): string[] {
    return this.lastLines.map((line) => `    ${readable(line).text}`);
  }

  line(line: string): void {
    this.lastLines.push(line);
    if (this.lastLines.length > maxTail) this.lastLines.shift();
    this.write(`${line}\n`);
    const { text, serious } = readable(line);
    if (serious) this.options.show(`${this.options.name.padEnd(12)} ${text}`);
  }

  close(): void {
    closeSync(this.fd);
  }

  private write(text: string): void {
    this.bytes += Buffer.byteLength(text);
    if (this.bytes > (this.options.maxBytes ?? 10 << 20)) {
      closeSync(this.fd);
      renameSync(this.file, join(this.options.folder, `${this.options.name}.1.log`));
      this.fd = openSync(this.file, 'a');
      this.bytes = Buffer.byteLength(text);
    }
    writeSync(this.fd, text);
  }
}
