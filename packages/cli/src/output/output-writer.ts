import type { Column } from './column.js';
import { CsvFormat } from './csv-form.js';
import type { OutputFormat, OutputFormatName } from './form.js';
import { JsonFormat } from './json-form.js';
import { ndjsonForm } from './ndjson-form.js';
import { onTerminal } from './on-terminal.js';
import type { OutputPipe } from './pipe.js';
import { recordForm } from './record-form.js';
import { TableFormat } from './table-form.js';
import { YamlFormat } from './yaml-form.js';

/** The output format, and the terminal that it is written to. */
interface OutputOptions {
  form: OutputFormatName;
  /** The width of the terminal in characters. */
  width: number;
  /** On a terminal control characters are escaped; elsewhere the output is exact. */
  isTerminal?: boolean;
}

/** Whether the items of a list are shown as they arrive. */
interface ListOutputOptions {
  /** The items arrive one by one, and each is shown immediately. */
  live?: boolean;
}

/** Writes data to standard output, in the requested form. */
export class OutputWriter {
  constructor(
    private readonly pipe: OutputPipe,
    private readonly options: OutputOptions,
  ) {}

  /** Writes a list. */
  async list<T extends object>(
    items: AsyncIterable<T> | Iterable<T>,
    columns: readonly Column<T>[],
    options: ListOutputOptions = {},
  ): Promise<void> {
    await this.all(items, this.formOfList(columns as readonly Column[], options));
  }

  /** Writes one item. The CSV of the item has these columns, or a column for each member. */
  async one(item: object, columns?: readonly Column[]): Promise<void> {
    await this.all([item], this.formOfOne(columns ?? columnsOf(item)));
  }

  /** Writes a text or bytes unchanged. */
  write(piece: string | Uint8Array): Promise<void> {
    return this.pipe.write(piece);
  }

  private async all(items: AsyncIterable<object> | Iterable<object>, exact: OutputFormat): Promise<void> {
    const form = this.options.isTerminal ? onTerminal(exact, this.options.form) : exact;
    // The opening is written with the first item: if reading the first item fails, no output is written.
    let opening = form.open();
    for await (const item of items) {
      await this.pipe.write(opening + form.item(item));
      opening = '';
    }
    await this.pipe.write(opening + form.close());
  }

  private formOfList(columns: readonly Column[], { live }: ListOutputOptions): OutputFormat {
    const { form, width } = this.options;
    if (form === 'json') return new JsonFormat(false);
    if (form === 'table')
      return new TableFormat(
        columns.filter(({ csvOnly }) => !csvOnly),
        { width, live },
      );
    return this.otherForm(columns);
  }

  private formOfOne(columns: readonly Column[]): OutputFormat {
    const { form } = this.options;
    if (form === 'json') return new JsonFormat(true);
    if (form === 'table') return recordForm;
    return this.otherForm(columns);
  }

  private otherForm(columns: readonly Column[]): OutputFormat {
    const { form } = this.options;
    if (form === 'csv') return new CsvFormat(columns);
    return form === 'yaml' ? new YamlFormat() : ndjsonForm;
  }
}

function columnsOf(item: object): Column[] {
  const record = item as Record<string, unknown>;
  return Object.keys(item).map((name) => ({ name: name.replace(/Text$/, ''), of: () => record[name] }));
}
