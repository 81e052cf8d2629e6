import type { ComponentChildren } from 'preact';
import { ProblemError, SqlError, UnreachableError } from '#client';
import type { LoadableData, PagedLoadableData } from '../app/resource.js';
import { visibleText } from '../logic/visible-text.js';
import { Button } from './form.js';

interface LoadedProps<T> {
  of: LoadableData<T>;
  children: (data: T) => ComponentChildren;
}

/** Shows data, or that it is loading, or why it could not be loaded. Data stays beside an error. */
export function Loaded<T>({ of, children }: LoadedProps<T>) {
  return (
    <>
      <Problem error={of.error} isRepeated={of.isRepeated} />
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

interface ProblemProps {
  error: unknown;
  /** Whether the request is repeated by itself. A change never is. */
  isRepeated?: boolean;
}

/** Shows an error, if there is one: the detail and the code of a problem, its parts, and the id of the request. */
export function Problem({ error, isRepeated }: ProblemProps) {
  if (error === undefined) return null;
  const { title, detail, code, requestId, parts } = shownOf(error);
  return (
    <div class="problem" role="alert">
      <p class="problem-title">
        <strong>{title}</strong>
        {code && <code class="chip">{code}</code>}
      </p>
      <p>{visibleText(detail)}</p>
      {parts.length > 0 && (
        <ul>
          {parts.map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{visibleText(pointer)}</code> {visibleText(detail)}
            </li>
          ))}
        </ul>
      )}
      {requestId && <p class="muted small">Request {requestId}</p>}
      {isRepeated && <p class="muted small">The console tries again by itself.</p>}
    </div>
  );
}

function shownOf(error: unknown) {
  if (error instanceof ProblemError) {
    const { title = 'Refused', detail, code, request_id, errors = [] } = error.problem;
    return {
      title,
      detail,
      code,
      requestId: request_id,
      parts: errors.filter((one) => one.detail !== detail),
    };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof SqlError) {
    return { title: 'The statement failed', detail, code: `ClickHouse ${error.code}`, parts: [] };
  }
  const title = error instanceof UnreachableError ? 'The gateway cannot be reached' : 'Something failed';
  return { title, detail, parts: [] };
}
