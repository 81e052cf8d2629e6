import type { ComponentChildren } from 'preact';
import type { PagedLoadableData, LoadableData } from '../app/resource.js';
import { Button } from './form.js';
import { Problem } from './problem.js';

interface LoadedProps<T> {
  of: LoadableData<T>;
  children: (data: T) => ComponentChildren;
}

/** Shows data, or that it is loading, or why it could not be loaded. Data stays beside an error. */
export function Loaded<T>({ of, children }: LoadedProps<T>) {
  return (
    <>
      <Problem error={of.error} />
      {of.data === undefined ? (
        of.error === undefined && <Loading />
      ) : (
        <div class="stack" aria-busy={of.loading}>
          {children(of.data)}
        </div>
      )}
    </>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="bar" />
      <span class="bar" />
      <span class="bar" />
      <span class="sr">Loading</span>
    </div>
  );
}

/** Says that there is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p class="muted">{children}</p>}
    </div>
  );
}

export interface ListedProps<T> {
  of: PagedLoadableData<T>;
  /** Says that there are no rows, and why, or what to do about it. */
  empty: string;
  hint?: ComponentChildren;
  children: (items: readonly T[]) => ComponentChildren;
}

/** Shows the rows of a list, or that there are none, and a button for the next page. */
export function Listed<T>({ of, empty, hint, children }: ListedProps<T>) {
  return (
    <Loaded of={of}>
      {({ items, hasMore }) => (
        <>
          {items.length === 0 ? <Empty title={empty}>{hint}</Empty> : children(items)}
          {hasMore && (
            <p class="more">
              <Button onClick={of.more} disabled={of.loading}>
                {of.loading ? 'Loading…' : 'Load more'}
              </Button>
              <span class="muted small">{items.length} loaded</span>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
