import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemError, TimeoutError, UnreachableError, type Page, type Pages } from '#client';
import { end } from './session.js';

/** Data of the API: the last answer stays while the next one is loaded. */
export interface LoadableData<T> {
  data?: T;
  error?: unknown;
  loading: boolean;
  /** When the data was loaded, as `Date.now()`. */
  loadedAt?: number;
  reload: () => void;
}

const retryMs = 2_000;

interface PollOptions {
  everyMs?: number;
  /** Loads nothing. */
  skip?: boolean;
}

/** Loads data when the inputs change, repeats after a transient failure, and every `everyMs` while the page is visible. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { everyMs, skip = false }: PollOptions = {},
): LoadableData<T> {
  const [state, setState] = useState<Omit<LoadableData<T>, 'reload'>>({ loading: !skip });
  const [round, setRound] = useState(0);
  const name = JSON.stringify(inputs);
  const lastName = useRef(name);
  useEffect(() => {
    if (skip) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOther = lastName.current !== name;
    lastName.current = name;
    setState((before) => ({ ...before, error: isOther ? undefined : before.error, loading: true }));
    let attempts = 0;
    const attempt = async () => {
      if (everyMs && attempts++ > 0 && document.hidden) return whenVisible();
      try {
        const data = await load(controller.signal);
        if (controller.signal.aborted) return;
        setState({ data, loading: false, loadedAt: Date.now() });
        if (everyMs) again(everyMs);
      } catch (error) {
        if (controller.signal.aborted) return;
        if (endsSession(error)) return;
        setState((before) => ({ ...before, error, loading: false }));
        if (isTransient(error)) again(retryMs);
        else if (everyMs) again(everyMs * 3);
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
    };
  }, [name, round, skip]);
  const reload = useCallback(() => setRound((round) => round + 1), []);
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

/** Loads the first page of a list, and further pages on demand. A reload reads as many pages as are loaded. */
export function usePages<T>(
  pagesOf: (cursor?: string) => Pages<T>,
  inputs: readonly unknown[],
  options: PollOptions = {},
): PagedLoadableData<T> {
  const name = JSON.stringify(inputs);
  const desired = useRef({ name, pages: 1 });
  if (desired.current.name !== name) desired.current = { name, pages: 1 };
  const load = async () => {
    const pages: Page<T>[] = [];
    do pages.push(await pagesOf(pages.at(-1)?.next_cursor ?? undefined).first());
    while (pages.length < desired.current.pages && pages.at(-1)!.next_cursor !== null);
    return pages;
  };
  const loaded = useResource(load, inputs, options);
  const [later, setLater] = useState<{ of?: Page<T>[]; pages: Page<T>[] }>({ pages: [] });
  const pages = [...(loaded.data ?? []), ...(later.of === loaded.data ? later.pages : [])];
  const last = pages.at(-1);
  const loadMore = useAction(async (cursor: string) => {
    desired.current.pages = pages.length + 1;
    const page = await pagesOf(cursor).first();
    setLater({ of: loaded.data, pages: [...pages.slice(loaded.data?.length), page] });
  });
  useEffect(loadMore.clear, [loaded.data]);
  const items = pages.flatMap((page) => page.items);
  const isPartial = last?.has_more === true;
  return {
    ...loaded,
    loading: loaded.loading || loadMore.running,
    error: loaded.error ?? loadMore.error,
    data: loaded.data && { items, isPartial, hasMore: isPartial && items.length < mostRows },
    more: () => last?.next_cursor && !loadMore.running && loadMore.run(last.next_cursor),
  };
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
export function isTransient(error: unknown): boolean {
  if (error instanceof ProblemError) return [408, 429, 502, 503, 504].includes(error.status);
  return error instanceof UnreachableError || error instanceof TimeoutError;
}

/** A change that a button starts: its error, and whether it runs. */
export interface AsyncAction<A extends unknown[]> {
  run: (...args: A) => void;
  running: boolean;
  error?: unknown;
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
  return { ...state, run, clear: () => setState({ running: false }) };
}
