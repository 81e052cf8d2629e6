import { SqlRow, visibleText } from '#client';
import { isCollection, isScalar, parseDocument, Scalar, visit, type ScalarTag } from 'yaml';

/** Converts items to text in one output format. Each method returns the next part of the output. */
export interface OutputFormat {
  open?(): string;
  item(item: object): string;
  close?(): string;
}

export const formNames = ['table', 'json', 'ndjson', 'yaml', 'csv'] as const;

/** Name of an output format, as in `--output table`. */
export type OutputFormatName = (typeof formNames)[number];

/** A column of tables and of CSV. */
export interface Column<T = object> {
  name: string;
  /** Returns the value; default: the member with the column's name. */
  of?: (item: T) => unknown;
  /** The column is only in CSV: tables have no room for it. */
  csvOnly?: true;
}

/** Returns a column for each of these members. */
export function members(...names: string[]): Column[] {
  return names.map((name) => ({ name }));
}

/** Returns the text of a cell: a text unchanged, null as an empty text, other values as JSON. */
function cellText(column: Column, item: object): string {
  const value = column.of ? column.of(item) : (item as Record<string, unknown>)[column.name];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Returns an item as JSON on one line. Members that the client keeps as text (`dataText`, `stateText`, `rowText`) are
 * written unchanged, with every digit of their numbers, also those of an event in a member.
 */
export function exactJson(item: object): string {
  if (item instanceof SqlRow) return item.rowText;
  if (!isExact(item) && !Object.values(item).some(isExact)) return JSON.stringify(item);
  const members = Object.entries(item as Record<string, unknown>).map(([name, value]) => {
    const parsed = name.replace(/Text$/, '');
    if (parsed === name || !(parsed in item))
      return `${JSON.stringify(name)}:${isExact(value) ? exactJson(value) : JSON.stringify(value)}`;
    // Line breaks inside JSON strings are escaped, so unescaped ones are between values.
    return `${JSON.stringify(parsed)}:${String(value).replace(/[\r\n]+\s*/g, ' ')}`;
  });
  return `{${members.join(',')}}`;
}

/** Whether the client keeps members of this value as text. */
function isExact(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'toJSON' in value;
}

/** A number that keeps the digits of its source text. */
const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number',
  test: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  resolve: (text) => Object.assign(new Scalar(Number(text)), { source: text }),
  stringify: ({ source, value }) => source ?? JSON.stringify(value),
};

/** Converts a JSON text to YAML in block style, with every digit of its numbers. */
function yamlOf(json: string): string {
  const document = parseDocument(json, { customTags: (tags) => [exactNumber, ...tags], version: '1.2' });
  visit(document, (_key, node) => {
    if (isCollection(node)) node.flow = node.items.length === 0;
    else if (isScalar(node) && typeof node.value === 'string') delete node.type;
  });
  return document.toString({ lineWidth: 0 });
}

/** Escapes the control characters in output for a terminal. JSON still has the same values. */
export function printable(form: OutputFormatName): (text: string) => string {
  return form === 'json' || form === 'ndjson' ? printableJson : printableLines;
}

/** Returns a text with each character that is not visible as `\u{…}`, except line ends. */
export function printableLines(text: string): string {
  return visibleText(text, { keep: '\r\n' }).replace(/\r(?!\n)/g, '\\u{d}');
}

/** Returns lines of JSON in which characters that are not visible are escaped; the values do not change. */
function printableJson(text: string): string {
  return visibleText(text, { keep: '\n', escape: jsonEscape });
}

function jsonEscape(character: string): string {
  // In JSON these two occur only between values.
  if (character === '\r' || character === '\t') return ' ';
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** One JSON object per line. */
export const ndjsonForm: OutputFormat = { item: (item) => `${exactJson(item)}\n` };

/** Writes items as one JSON document: an array with one item per line, or a single item. */
export class JsonFormat implements OutputFormat {
  private separator = '';

  constructor(private readonly single: boolean) {}

  open(): string {
    return this.single ? '' : '[';
  }

  item(item: object): string {
    const text = `${this.separator}${this.single ? '' : '\n  '}${exactJson(item)}`;
    this.separator = ',';
    return text;
  }

  close(): string {
    return this.single ? '\n' : this.separator ? '\n]\n' : ']\n';
  }
}

/** Writes each item as a YAML document; `---` separates them. */
export class YamlFormat implements OutputFormat {
  private separator = '';

  item(item: object): string {
    const text = `${this.separator}${yamlOf(exactJson(item))}`;
    this.separator = '---\n';
    return text;
  }
}

/** Writes items as CSV (RFC 4180), with the column names in the first line. */
export class CsvFormat implements OutputFormat {
  constructor(private readonly columns: readonly Column[]) {}

  open(): string {
    return line(this.columns.map(({ name }) => withoutFormula(name)));
  }

  item(item: object): string {
    return line(this.columns.map((column) => withoutFormula(cellText(column, item))));
  }
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Prefixes a text that a spreadsheet would run as a formula, unless it is a number. */
function withoutFormula(cell: string): string {
  return /^\s*[=+\-@＝＋－＠−]/.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
}

/** One item with one member per line. */
export const recordForm: OutputFormat = {
  item: (item) => {
    const members = Object.entries(item).map(
      ([name, value]) => [visibleText(name.replace(/Text$/, '')), shown(value)] as const,
    );
    const width = Math.max(0, ...members.map(([name]) => name.length));
    return members.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
  },
};

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The number of items that a table buffers to determine the column widths. */
const firstItems = 100;

/**
 * Writes items as a table. The first 100 items (in a live table: the first item) determine the widths of the table's
 * columns. A line longer than `width` is cut and ends with `…`.
 */
export class TableFormat implements OutputFormat {
  private waiting: string[][] = [];
  private widths: number[] | undefined;

  constructor(
    private readonly columns: readonly Column[],
    /** `width`: the width of the terminal in characters. `live`: items are written as they arrive. */
    private readonly options: { width: number; live?: boolean },
  ) {}

  item(item: object): string {
    const cells = this.columns.map((column) => visibleText(cellText(column, item)));
    if (this.widths) return this.line(cells);
    this.waiting.push(cells);
    return this.options.live || this.waiting.length === firstItems ? this.begin() : '';
  }

  close(): string {
    return this.widths ? '' : this.begin();
  }

  private begin(): string {
    if (this.waiting.length === 0) return '';
    const lines = [this.columns.map(({ name }) => visibleText(name.toUpperCase())), ...this.waiting];
    this.widths = this.columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]!.length)));
    this.waiting = [];
    return lines.map((cells) => this.line(cells)).join('');
  }

  private line(cells: readonly string[]): string {
    const padded = cells.map((cell, i) => cell.padEnd(this.widths![i]!));
    return `${cut(padded.join('  ').trimEnd(), this.options.width)}\n`;
  }
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
