import { visibleText } from '#client';
import { cellText, type Column } from './column.js';
import type { OutputFormat } from './form.js';

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
    /**
     * `width`: maximum number of characters in a line, the width of the terminal. `live`: items are written as they
     * arrive.
     */
    private readonly options: { width: number; live?: boolean },
  ) {}

  open(): string {
    return '';
  }

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
