import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  folded,
  sorted,
  totalOf,
  type RowGroup,
  type SortOrder,
  type SortValue,
  type Total,
} from '../logic/list.js';
import { Button } from './form.js';
import { Count, Text } from './values.js';

/** A column of a table, and what it shows of a row. */
export interface Column<T> {
  name: string;
  /** Returns what is shown instead of the name, for the rows of the table. */
  title?: (rows: readonly T[]) => ComponentChildren;
  isNumber?: boolean;
  /** What rows are sorted by. Without it, the column cannot be sorted. */
  value?: (row: T) => SortValue;
  /** The total that a group of rows shows, and is sorted by. */
  total?: { of: Total; show: (total: number | undefined) => ComponentChildren };
  cell: (row: T) => ComponentChildren;
  /** Whether the cell is the heading of its row. */
  isHeading?: boolean;
  /** Whether the cell is a button that opens the details of its row. */
  opensRow?: boolean;
  /** Classes of the cell; those of a number by default, if the column has numbers. */
  class?: string;
}

interface NumberOptions {
  show?: (value: number) => ComponentChildren;
  total?: Total;
}

/** Returns a column of numbers that can be sorted; a group of rows shows their total. */
export function numberColumn<T>(
  name: string,
  value: (row: T) => number | null | undefined,
  { show = (count) => <Count value={count} />, total = 'sum' }: NumberOptions = {},
): Column<T> {
  const shown = (number: number | null | undefined) => (typeof number === 'number' ? show(number) : '–');
  return {
    ...{ name, value, isNumber: true, class: 'number digits' },
    cell: (row) => shown(value(row)),
    total: { of: total, show: shown },
  };
}

interface TableSort {
  order: SortOrder;
  onSort: (column: { name: string; isNumber?: boolean }) => void;
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
  /** The order of the rows. The headings of columns with values change it. */
  sort?: TableSort;
  /** Returns the name of a row. If there are many rows, those whose names share a prefix are folded. */
  foldBy?: (row: T) => string;
}

/** A table of rows with the same columns. It scrolls sideways in a region of its own, reachable by keyboard. */
export function DataTable<T>({ label, rows, sort, foldBy, ...table }: DataTableProps<T>) {
  const { columns } = table;
  const groups = foldBy ? groupsOf({ columns, rows, sort, foldBy }) : rows.map((row) => ({ rows: [row] }));
  return (
    <SidewaysRegion label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <Heading key={i} column={column} rows={rows} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group: RowGroup<T>, index) =>
            group.prefix === undefined ? (
              <Row key={table.keyOf(group.rows[0]!, index)} row={group.rows[0]!} {...table} />
            ) : (
              <Group key={`group ${group.prefix}`} group={group} {...table} />
            ),
          )}
        </tbody>
      </table>
    </SidewaysRegion>
  );
}

/** Folds rows that are sorted. Groups are sorted by their totals, if the column has totals. */
function groupsOf<T>({
  columns,
  rows,
  sort,
  foldBy,
}: Pick<DataTableProps<T>, 'columns' | 'rows' | 'sort' | 'foldBy'>): readonly RowGroup<T>[] {
  const groups = folded(rows, foldBy!);
  const { value, total } = columns.find(({ name }) => name === sort?.order.name) ?? {};
  if (!sort || !value || !total) return groups;
  return sorted(groups, ({ rows }) => totalOf(rows.map(value), total.of), sort.order.isDescending);
}

interface SidewaysRegionProps {
  label: string;
  /** Says how to see what is hidden. */
  hint?: string;
  class?: string;
  children: ComponentChildren;
}

/** Scrolls sideways, shows on which sides something is hidden, and says how to see it. */
export function SidewaysRegion({
  label,
  hint = 'Scroll the table sideways for more columns',
  class: className = 'table',
  children,
}: SidewaysRegionProps) {
  const region = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState('');
  useEffect(() => {
    const { current } = region;
    if (!current) return;
    const measure = () => {
      const { scrollLeft, scrollWidth, clientWidth } = current;
      const right = scrollWidth - clientWidth - scrollLeft > 1;
      setHidden([scrollLeft > 1 && 'left', right && 'right'].filter(Boolean).join(' '));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    observer.observe(current.firstElementChild!);
    current.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', measure);
    };
  }, []);
  return (
    <div class="table-frame" data-hidden={hidden}>
      {hidden && (
        <p class="muted small sideways" aria-hidden="true">
          {hidden.includes('left') && '← '}
          {hint}
          {hidden.includes('right') && ' →'}
        </p>
      )}
      <div class="table-edge">
        <div class={className} role="region" aria-label={label} tabIndex={0} ref={region}>
          {children}
        </div>
      </div>
    </div>
  );
}

interface HeadingProps<T> extends Pick<DataTableProps<T>, 'rows' | 'sort'> {
  column: Column<T>;
}

function Heading<T>({ column, rows, sort }: HeadingProps<T>) {
  const { name, title, isNumber, value } = column;
  const direction = sort?.order.name === name && (sort.order.isDescending ? 'descending' : 'ascending');
  const shown = (title ? title(rows) : name) || <span class="sr">Actions</span>;
  const isSortable = sort !== undefined && value !== undefined;
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSortable ? direction || 'none' : undefined}
    >
      {isSortable ? (
        <Button class="sort" onClick={() => sort.onSort(column)}>
          {shown}
          <span aria-hidden="true" class="arrow">
            {direction ? (direction === 'ascending' ? '↑' : '↓') : '↕'}
          </span>
        </Button>
      ) : (
        shown
      )}
    </th>
  );
}

type RowProps<T> = Pick<DataTableProps<T>, 'columns' | 'isOpen' | 'detail' | 'keyOf'>;

/** Rows whose names share a prefix: their number and totals, and the rows when it is opened. */
function Group<T>({ group: { prefix = '', rows }, ...table }: RowProps<T> & { group: RowGroup<T> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr class="group">
        {table.columns.map(({ isNumber, value, total }, i) =>
          i === 0 ? (
            <th key={i} scope="row">
              <Button class="expand" aria-expanded={open} onClick={() => setOpen(!open)}>
                <span class="caret" aria-hidden="true" />
                <Text value={prefix} /> <span class="muted">{rows.length} rows</span>
              </Button>
            </th>
          ) : (
            <td key={i} class={isNumber ? 'number digits' : undefined}>
              {value && total?.show(totalOf(rows.map(value), total.of))}
            </td>
          ),
        )}
      </tr>
      {open && rows.map((row, index) => <Row key={table.keyOf(row, index)} row={row} isMember {...table} />)}
    </>
  );
}

function Row<T>({ row, columns, isOpen, detail, isMember }: RowProps<T> & { row: T; isMember?: boolean }) {
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
  const classes = [(open || isOpen?.(row)) && 'open', isMember && 'member'].filter(Boolean).join(' ');
  return (
    <>
      <tr class={classes || undefined}>
        {columns.map((column, i) =>
          column.isHeading ? (
            <th key={i} scope="row" class={column.class}>
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
          <td colSpan={columns.length}>
            <div class="row-detail">{detail?.(row)}</div>
          </td>
        </tr>
      )}
    </>
  );
}
