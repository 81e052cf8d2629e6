import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemError, TimeoutError, UnreachableError, type Pages } from '#client';
import { openedOf } from './open-rows.js';
import { end } from './session.js';

/** Data of the API: the last answer stays while the next one is loaded. */
export interface LoadableData<T> {
  data?: T;
  error?: unknown;
  loading: boolean;
  /** Whether the request that failed is repeated by itself. */
  isRepeated?: boolean;
  /** When the data was loaded, as `Date.now()`. */
  loadedAt?: number;
  /** Loads the data again. Resolves when an answer to that request is shown, or its error. */
  reload: () => Promise<void>;
}

const retryMs = 2_000;

interface PollOptions {
  everyMs?: number;
  /** The time of the last refresh of the view: a change loads the data again. */
  asOf?: number;
  /** Loads nothing. */
  skip?: boolean;
}

/** The number of requests of resources that run. */
let running = 0;

/** Returns whether data of a view is being loaded. */
export function isLoading(): boolean {
  return running > 0;
}

/** Data, and the inputs that it was loaded for. */
interface ResourceState<T> {
  data?: T;
  of?: string;
  error?: unknown;
  loading: boolean;
  isRepeated?: boolean;
  loadedAt?: number;
}

/**
 * Loads data when the inputs change, repeats after a transient failure, and every `everyMs` while the page is visible.
 * An error removes the data of other inputs.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { everyMs, asOf, skip = false }: PollOptions = {},
): LoadableData<T> {
  const [state, setState] = useState<ResourceState<T>>({ loading: !skip });
  const [round, setRound] = useState(0);
  const name = JSON.stringify(inputs);
  const last = useRef({ name, asOf });
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    if (skip) return;
    const reloaded = waiting.current.splice(0);
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOther = last.current.name !== name;
    const isRefresh = !isOther && last.current.asOf !== asOf;
    last.current = { name, asOf };
    setState((before) => ({
      ...before,
      error: isOther ? undefined : before.error,
      loading: !isRefresh || before.data === undefined,
    }));
    let attempts = 0;
    const attempt = async () => {
      if (everyMs && attempts++ > 0 && document.hidden) return whenVisible();
      running++;
      try {
        const data = await load(controller.signal);
        if (controller.signal.aborted) return;
        setState({ data, of: name, loading: false, loadedAt: Date.now() });
        if (everyMs) again(everyMs);
      } catch (error) {
        if (controller.signal.aborted) return;
        if (endsSession(error)) return;
        setState(({ data, of, loadedAt }) => ({
          ...(of === name && { data, of, loadedAt }),
          error,
          loading: false,
          isRepeated: isTransient(error),
        }));
        if (isTransient(error)) again(retryMs);
        else if (everyMs) again(everyMs * 3);
      } finally {
        running--;
        if (!controller.signal.aborted) for (const resolve of reloaded.splice(0)) resolve();
      }
    };
    const again = (ms: number) => {
      timer = setTimeout(() => void attempt(), ms);
    };
    const whenVisible = () =>
      document.addEventListener('visibilitychange', () => void attempt(), {
        once: true,
        signal: controller.signal,
      });
    void attempt();
    return () => {
      clearTimeout(timer);
      controller.abort();
      waiting.current.push(...reloaded);
    };
  }, [name, round, skip, asOf]);
  const reload = useCallback(() => {
    setRound((round) => round + 1);
    return new Promise<void>((resolve) => void waiting.current.push(resolve));
  }, []);
  return { ...state, reload };
}

/** The loaded rows of a list. */
interface Rows<T> {
  items: readonly T[];
  /** Whether the next page can be loaded. */
  hasMore: boolean;
  /** Whether the list has more rows than are loaded, loadable or not. */
  isPartial?: boolean;
}

export interface PagedLoadableData<T> extends LoadableData<Rows<T>> {
  more: () => unknown;
}

/** The browser holds at most this number of rows of a list. */
export const mostRows = 2_000;

interface PageOptions<T> extends PollOptions {
  /** Returns the key by which an opened row is known. */
  keyOf?: (row: T) => string;
}

/** Reads one page of a list. Without a limit, its size is that of the first page. */
type ReadPage<T> = (cursor?: string, limit?: number) => Pages<T>;

/** Loaded rows, and how the page after them is read. */
interface LoadedRows<T> {
  /** The inputs for which they were loaded. */
  name: string;
  items: readonly T[];
  next?: string;
  read: ReadPage<T>;
  /** The number of rows that the user has asked for; 0 for one page. */
  asked: number;
}

/**
 * Loads the first page of a list, and further pages on demand. A refresh loads as many rows as the user has asked for, and
 * of rows with keys those down to the last opened one. If those are too many, the rows stay as they are.
 */
export function usePages<T>(
  read: ReadPage<T>,
  inputs: readonly unknown[],
  { keyOf, ...options }: PageOptions<T> = {},
): PagedLoadableData<T> {
  const name = JSON.stringify(inputs);
  const shown = useRef<{ base?: LoadedRows<T>; rows?: LoadedRows<T> }>({});
  const load = async (): Promise<LoadedRows<T>> => {
    const { rows } = shown.current;
    if (rows?.name !== name) return { ...(await readRows(read)), name, asked: 0 };
    const opened = keyOf ? openedOf(rows.items.map(keyOf)) : [];
    const hasOpened = (items: readonly T[]) => {
      if (!keyOf) return true;
      const keys = new Set(items.map(keyOf));
      return opened.every((key) => keys.has(key));
    };
    const refreshed = await readRows(read, rows.asked, hasOpened);
    const isComplete = refreshed.next === undefined || hasOpened(refreshed.items);
    const isExtended = shown.current.rows?.name === name && shown.current.rows.asked > rows.asked;
    return isComplete && !isExtended ? { ...refreshed, name, asked: rows.asked } : shown.current.rows!;
  };
  const first = useResource(load, inputs, options);
  const [extended, setExtended] = useState<{ of?: LoadedRows<T>; rows?: LoadedRows<T> }>({});
  const rows = (extended.of === first.data && extended.rows) || first.data;
  shown.current = { base: first.data, rows };
  const loadMore = useAction(async (before: LoadedRows<T>) => {
    const page = await before.read(before.next).first();
    const items = [...before.items, ...page.items];
    const next = page.has_more ? page.next_cursor! : undefined;
    const { base } = shown.current;
    if (base?.name !== before.name) return;
    setExtended({ of: base, rows: { ...before, items, next, asked: items.length } });
  });
  useEffect(loadMore.clear, [first.data]);
  return {
    ...first,
    loading: first.loading || loadMore.running,
    error: first.error ?? loadMore.error,
    data: rows && {
      items: rows.items,
      isPartial: rows.next !== undefined,
      hasMore: rows.next !== undefined && rows.items.length < mostRows,
    },
    more: () => rows?.next && !loadMore.running && loadMore.run(rows),
  };
}

const largestPage = 500;

/** Reads `least` rows, and further ones until `isEnough`, up to those that a list may have. */
async function readRows<T>(
  read: ReadPage<T>,
  least = 0,
  isEnough: (items: readonly T[]) => boolean = () => true,
): Promise<Pick<LoadedRows<T>, 'items' | 'next' | 'read'>> {
  let page = await read(undefined, Math.min(least, largestPage) || undefined).first();
  let { items } = page;
  while (page.has_more && items.length < mostRows && (items.length < least || !isEnough(items))) {
    page = await read(page.next_cursor!, largestPage).first();
    items = [...items, ...page.items];
  }
  return { items, read, next: page.has_more ? page.next_cursor! : undefined };
}

/** How a view reads events as they arrive. */
interface LiveReader {
  /** Resolves when the stream has ended. */
  reading: Promise<void>;
  /** Shows what has been read. */
  paint: () => void;
}

/** Reads a stream while the view is shown, and paints at most twenty times a second. Returns the error that ended it. */
export function useLive(start: (signal: AbortSignal) => LiveReader, inputs: readonly unknown[]): unknown {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const controller = new AbortController();
    const { reading, paint } = start(controller.signal);
    reading.catch((error: unknown) => {
      if (!controller.signal.aborted && !endsSession(error)) setError(error);
    });
    const timer = setInterval(paint, 50);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, inputs);
  return error;
}

/** Ends the session if the key is no longer valid. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof ProblemError) || error.status !== 401) return false;
  end(error.problem.detail);
  return true;
}

/** Returns whether the same request may succeed later. */
function isTransient(error: unknown): boolean {
  if (error instanceof ProblemError) return [408, 429, 502, 503, 504].includes(error.status);
  return error instanceof UnreachableError || error instanceof TimeoutError;
}

/** A change that a button starts: its error, and whether it runs. */
export interface AsyncAction<A extends unknown[]> {
  run: (...args: A) => void;
  running: boolean;
  error?: unknown;
  /** Forgets the error. What runs goes on. */
  clear: () => void;
}

export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>): AsyncAction<A> {
  const [state, setState] = useState<{ running: boolean; error?: unknown }>({ running: false });
  const run = (...args: A) => {
    setState({ running: true });
    work(...args).then(
      () => setState({ running: false }),
      (error: unknown) => {
        if (!endsSession(error)) setState({ running: false, error });
      },
    );
  };
  return { ...state, run, clear: () => setState((before) => (before.running ? before : { running: false })) };
}
