import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './form.js';
import { Time } from './values.js';

interface ColumnTitle {
  name: string;
  /** Shown instead of the name. */
  title?: ComponentChildren;
  isNumber?: boolean;
  sort?: 'ascending' | 'descending';
}

interface TableProps {
  label: string;
  columns: readonly ColumnTitle[];
  children: ComponentChildren;
}

/** A table that scrolls sideways in a region of its own, reachable by keyboard. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, title, isNumber, sort }, i) => (
              <th key={i} scope="col" class={isNumber ? 'number' : undefined} aria-sort={sort}>
                {(title ?? name) || <span class="sr">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A column of a table, and what it shows of a row. */
export interface Column<T> extends ColumnTitle {
  cell: (row: T) => ComponentChildren;
  /** Whether the cell is the heading of its row. */
  isHeading?: boolean;
  /** Classes of the cell; those of a number by default, if the column has numbers. */
  class?: string;
}

interface DataTableProps<T> extends Omit<TableProps, 'children'> {
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T, index: number) => string | number;
  /** Whether a row is highlighted. */
  isOpen?: (row: T) => boolean;
}

/** A table of rows with the same columns. */
export function DataTable<T>({ label, columns, rows, keyOf, isOpen }: DataTableProps<T>) {
  return (
    <Table label={label} columns={columns}>
      {rows.map((row, index) => (
        <tr key={keyOf(row, index)} class={isOpen?.(row) ? 'open' : undefined}>
          {columns.map(
            ({ cell, isHeading, isNumber, class: className = isNumber ? 'number' : undefined }, i) =>
              isHeading ? (
                <th key={i} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={i} class={className}>
                  {cell(row)}
                </td>
              ),
          )}
        </tr>
      ))}
    </Table>
  );
}

interface ExpandableRowProps {
  time: string;
  /** A cell before the time. */
  first?: ComponentChildren;
  /** The cells after the time. */
  children: ComponentChildren;
  columnCount: number;
  detail: ComponentChildren;
}

/** A row whose time is a button that opens its details. */
export function ExpandableRow({ time, first, children, columnCount, detail }: ExpandableRowProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr class={open ? 'open' : undefined}>
        {first}
        <td class="nowrap">
          <Button class="expand" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span class="caret" aria-hidden="true" />
            <Time value={time} />
          </Button>
        </td>
        {children}
      </tr>
      {open && (
        <tr class="detail">
          <td colSpan={columnCount}>{detail}</td>
        </tr>
      )}
    </>
  );
}
