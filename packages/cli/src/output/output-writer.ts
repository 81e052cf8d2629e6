import { once } from 'node:events';
import type { Writable } from 'node:stream';
import {
  type Column,
  CsvFormat,
  type OutputFormat,
  type OutputFormatName,
  JsonFormat,
  ndjsonForm,
  printable,
  recordForm,
  TableFormat,
  YamlFormat,
} from './formats.js';

/** Writes to a stream with back-pressure. Data written after the stream was closed is discarded. */
export class OutputPipe {
  constructor(
    private readonly stream: Writable,
    private readonly signal: AbortSignal,
    private readonly closed: AbortSignal = new AbortController().signal,
  ) {}

  /** Resolves when there is room for more. @throws the reason of the signal, for example `BrokenPipeError` */
  async write(piece: string | Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    if (piece.length === 0 || this.closed.aborted || this.stream.write(piece)) return;
    const signal = AbortSignal.any([this.signal, this.closed]);
    await once(this.stream, 'drain', { signal }).catch(() => this.signal.throwIfAborted());
  }
}

/** The output format, and the terminal that it is written to. */
interface OutputOptions {
  form: OutputFormatName;
  /** The width of the terminal in characters. */
  width: number;
  /** On a terminal control characters are escaped; elsewhere the output is exact. */
  isTerminal?: boolean;
}

/** Writes data to standard output, in the requested form. */
export class OutputWriter {
  constructor(
    private readonly pipe: OutputPipe,
    private readonly options: OutputOptions,
  ) {}

  /** Writes a list. Each item of a live list is shown as soon as it arrives. */
  async list<T extends object>(
    items: AsyncIterable<T> | Iterable<T>,
    columns: readonly Column<T>[],
    options: { live?: boolean } = {},
  ): Promise<void> {
    await this.all(items, this.formatOf(columns as readonly Column[], options));
  }

  /** Writes one item. The CSV of the item has these columns, or a column for each member. */
  async one(item: object, columns?: readonly Column[]): Promise<void> {
    await this.all([item], this.formatOf(columns ?? columnsOf(item), { single: true }));
  }

  /** Writes a text or bytes unchanged. */
  write(piece: string | Uint8Array): Promise<void> {
    return this.pipe.write(piece);
  }

  private async all(items: AsyncIterable<object> | Iterable<object>, format: OutputFormat): Promise<void> {
    const { isTerminal, form } = this.options;
    const shown = isTerminal ? printable(form) : (text: string) => text;
    // The opening is written with the first item: if reading the first item fails, no output is written.
    let opening = format.open?.() ?? '';
    for await (const item of items) {
      await this.pipe.write(shown(opening + format.item(item)));
      opening = '';
    }
    await this.pipe.write(shown(opening + (format.close?.() ?? '')));
  }

  private formatOf(
    columns: readonly Column[],
    { single = false, live = false }: { single?: boolean; live?: boolean },
  ): OutputFormat {
    const { form, width } = this.options;
    if (form === 'json') return new JsonFormat(single);
    if (form === 'csv') return new CsvFormat(columns);
    if (form === 'yaml') return new YamlFormat();
    if (form === 'ndjson') return ndjsonForm;
    if (single) return recordForm;
    const shown = columns.filter(({ csvOnly }) => !csvOnly);
    return new TableFormat(shown, { width, live });
  }
}

function columnsOf(item: object): Column[] {
  const record = item as Record<string, unknown>;
  return Object.keys(item).map((name) => ({ name: name.replace(/Text$/, ''), of: () => record[name] }));
}
