import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './form.js';

/** A column of a table, and what it shows of a row. */
export interface Column<T> {
  name: string;
  /** Shown instead of the name. */
  title?: ComponentChildren;
  isNumber?: boolean;
  sort?: 'ascending' | 'descending';
  cell: (row: T) => ComponentChildren;
  /** Whether the cell is the heading of its row. */
  isHeading?: boolean;
  /** Whether the cell is a button that opens the details of its row. */
  opensRow?: boolean;
  /** Classes of the cell; those of a number by default, if the column has numbers. */
  class?: string;
}

interface DataTableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T, index: number) => string | number;
  /** Whether a row is highlighted. */
  isOpen?: (row: T) => boolean;
  /** Shown below a row that the user has opened. */
  detail?: (row: T) => ComponentChildren;
}

/** A table of rows with the same columns. It scrolls sideways in a region of its own, reachable by keyboard. */
export function DataTable<T>({ label, columns, rows, keyOf, isOpen, detail }: DataTableProps<T>) {
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
        <tbody>
          {rows.map((row, index) => (
            <Row key={keyOf(row, index)} row={row} columns={columns} isOpen={isOpen} detail={detail} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps<T> extends Pick<DataTableProps<T>, 'columns' | 'isOpen' | 'detail'> {
  row: T;
}

function Row<T>({ row, columns, isOpen, detail }: RowProps<T>) {
  const [open, setOpen] = useState(false);
  const contentOf = ({ cell, opensRow }: Column<T>) =>
    opensRow ? (
      <Button class="expand" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="caret" aria-hidden="true" />
        {cell(row)}
      </Button>
    ) : (
      cell(row)
    );
  return (
    <>
      <tr class={open || isOpen?.(row) ? 'open' : undefined}>
        {columns.map((column, i) =>
          column.isHeading ? (
            <th key={i} scope="row">
              {contentOf(column)}
            </th>
          ) : (
            <td key={i} class={column.class ?? (column.isNumber ? 'number' : undefined)}>
              {contentOf(column)}
            </td>
          ),
        )}
      </tr>
      {open && (
        <tr class="detail">
          <td colSpan={columns.length}>{detail?.(row)}</td>
        </tr>
      )}
    </>
  );
}
