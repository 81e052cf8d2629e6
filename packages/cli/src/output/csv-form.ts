import { cellText, type Column } from './column.js';
import type { OutputFormat } from './form.js';

/** Writes items as CSV (RFC 4180), with the column names in the first line. */
export class CsvFormat implements OutputFormat {
  constructor(private readonly columns: readonly Column[]) {}

  open(): string {
    return line(this.columns.map(({ name }) => withoutFormula(name)));
  }

  item(item: object): string {
    return line(this.columns.map((column) => withoutFormula(cellText(column, item))));
  }

  close(): string {
    return '';
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
