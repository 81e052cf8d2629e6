import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readableLine } from './engine/readable-line.js';

/** Folder, size limit and terminal of one service's log. */
interface ServiceLogOptions {
  /** The folder of `<name>.log`. */
  folder: string;
  name: string;
  /** When the file reaches this size, it is renamed to `<name>.1.log`, and a new file begins. */
  maxBytes?: number;
  /** Shows a line to the user at the terminal. */
  show: (line: string) => void;
}

const maxTail = 20;

/**
 * The log of one process that `npm start` runs: writes all of its lines to a file of bounded size, and shows errors and
 * warnings at the terminal.
 */
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

  /** Returns the last lines, shortened for the terminal. */
  tail(): string[] {
    return this.lastLines.map((line) => `    ${readableLine(line).text}`);
  }

  line(line: string): void {
    this.lastLines.push(line);
    if (this.lastLines.length > maxTail) this.lastLines.shift();
    this.write(`${line}\n`);
    const { text, serious } = readableLine(line);
    if (serious) this.options.show(`${this.options.name.padEnd(12)} ${text}`);
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
