import { computed, signal } from '@preact/signals';
import { all, hrefOf, one, placeOf, withQuery, type QueryChange } from '../logic/url-state.js';

const url = signal(location.href);

/** The view that the URL selects. */
export const place = computed(() => placeOf(new URL(url.value)));

/** Shows another view. `replace` leaves no entry in the history, for what changes while a user types. */
export function navigate(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  url.value = location.href;
}

/** Returns the first value of a parameter of the current view; undefined if it is empty or missing. */
export function parameter(name: string): string | undefined {
  return one(place.value, name);
}

/** Returns all values of a parameter of the current view that are not empty. */
export function parameters(name: string): string[] {
  return all(place.value, name);
}

/** Changes parameters of the current view. */
export function setQuery(change: QueryChange, options?: { replace?: boolean }): void {
  navigate(withQuery(place.peek(), change), options);
}

export function startRouter(): void {
  addEventListener('popstate', () => (url.value = location.href));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (!link.pathname.startsWith('/console')) return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    navigate(link.href);
    scrollTo(0, 0);
    focusHeading();
  });
}

/** A screen reader begins with the heading of the new view. */
function focusHeading(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true }));
}

export { hrefOf };
