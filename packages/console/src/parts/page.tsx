import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PagedLoadableData } from '../app/resource.js';
import { tributary } from '../logic/shell.js';
import { Calls, type Call } from './calls.js';
import { Listed } from './states.js';
import { DataTable, type Column } from './table.js';

interface PageProps {
  title: string;
  /** Shown instead of the title. */
  heading?: ComponentChildren;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  calls: readonly Call[];
  children: ComponentChildren;
}

/** A view: its heading, its content, and the requests that return the same data. */
export function Page({ title, heading, about, actions, calls, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{heading ?? title}</h1>
          {about && <p class="muted">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
      <Calls calls={calls} />
    </>
  );
}

interface ListPageProps<T> {
  title: string;
  about: string;
  /** The name of the resources in the API. */
  resources: string;
  of: PagedLoadableData<T>;
  columns: readonly Column<T>[];
  keyOf: (item: T) => string;
  empty: ComponentChildren;
  /** Shown above the list. */
  children?: ComponentChildren;
}

/** A view that lists all resources of a kind. */
export function ListPage<T>({
  title,
  about,
  resources,
  of,
  columns,
  keyOf,
  empty,
  children,
}: ListPageProps<T>) {
  const calls = [{ path: `/api/v1/${resources}`, command: tributary('get', [resources]) }];
  return (
    <Page title={title} about={about} calls={calls}>
      {children}
      <Listed of={of} empty={empty}>
        {(items) => <DataTable label={title} columns={columns} rows={items} keyOf={keyOf} />}
      </Listed>
    </Page>
  );
}
