import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { mostRows, type PagedLoadableData } from '../app/resource.js';
import { parameter, setQuery } from '../app/router.js';
import { clockTime, grouped } from '../logic/format.js';
import { matching, nextSort, sorted, sortOrderOf, sortText } from '../logic/list.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Field } from './form.js';
import { Empty, Listed, type ListedProps } from './states.js';
import { DataTable, type Column } from './table.js';

/** Milliseconds between two refreshes of a list. */
export const refreshMs = 15_000;

export interface ListProps<T> extends Pick<ListedProps<T>, 'of' | 'empty' | 'hint'> {
  label: string;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** Returns the text that the search reads. */
  textOf: (row: T) => string;
  /** Whether rows whose text begins with the same prefix are folded in a long list. */
  isFolded?: boolean;
  detail?: (row: T) => ComponentChildren;
  /** Filters that the API applies, beside the search. */
  filters?: ComponentChildren;
  /** Selects the loaded rows that the list has; all by default. */
  select?: (row: T) => boolean;
}

/** A list of the API: a search, the order by any column, and when it was loaded. The URL has the search and the order. */
export function List<T>({ label, of, empty, hint, filters, ...list }: ListProps<T>) {
  return (
    <>
      <div class="list-bar">
        <SearchField />
        {filters}
        <AsOf time={of.loadedAt} />
      </div>
      <Listed of={of} empty={empty} hint={hint}>
        {(items) => <Rows label={label} items={items} of={of} {...list} />}
      </Listed>
    </>
  );
}

/** Says when data was loaded. */
export function AsOf({ time }: { time: number | undefined }) {
  return <span class="muted small as-of">{time !== undefined && `As of ${clockTime(time)} UTC`}</span>;
}

type RowsProps<T> = Omit<ListProps<T>, 'empty' | 'hint' | 'filters'> & { items: readonly T[] };

function Rows<T>({ items, of, columns, textOf, select = () => true, isFolded, ...table }: RowsProps<T>) {
  const search = parameter('find') ?? '';
  const order = sortOrderOf(parameter('sort'));
  const sortColumn = columns.find(({ name, value }) => value && name === order.name);
  const found = matching(items.filter(select), textOf, search);
  const rows = sortColumn ? sorted(found, sortColumn.value!, order.isDescending) : found;
  const onSort = ({ name, isNumber }: { name: string; isNumber?: boolean }) =>
    setQuery({ sort: sortText(nextSort(order, name, isNumber)) });
  return (
    <>
      {of.data?.isPartial && <PartialNotice of={of} loaded={items.length} />}
      {search !== '' && (
        <p class="muted small" role="status">
          {grouped(found.length)} of {grouped(items.length)} rows match.
        </p>
      )}
      {rows.length === 0 ? (
        <Empty title={search === '' ? 'No loaded row matches.' : `No row matches “${visibleText(search)}”.`}>
          {search !== '' && <Button onClick={() => setQuery({ find: undefined })}>Clear the search</Button>}
        </Empty>
      ) : (
        <DataTable
          {...table}
          columns={columns}
          rows={rows}
          sort={{ order, onSort }}
          foldBy={isFolded ? textOf : undefined}
        />
      )}
    </>
  );
}

/** Says that the search and the order of a list cover only some of its rows. */
function PartialNotice<T>({ of, loaded }: { of: PagedLoadableData<T>; loaded: number }) {
  return (
    <p class="notice">
      The list has more than the {grouped(loaded)} rows that are loaded. The search, the order and the totals
      cover only these.{' '}
      {of.data?.hasMore ? (
        <Button class="quiet" onClick={of.more} disabled={of.loading}>
          Load more
        </Button>
      ) : (
        `The browser holds at most ${grouped(mostRows)} rows; the command line reads them all.`
      )}
    </p>
  );
}

/** A field for a search. The key `/` moves the focus to it. */
function SearchField() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (target instanceof Element && target.closest('input, select, textarea, dialog')) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <Field name="Search" isHidden>
      <input
        type="search"
        ref={field}
        value={parameter('find') ?? ''}
        placeholder="Search (press /)"
        aria-keyshortcuts="/"
        spellcheck={false}
        onInput={({ currentTarget }) => setQuery({ find: currentTarget.value }, { replace: true })}
      />
    </Field>
  );
}
