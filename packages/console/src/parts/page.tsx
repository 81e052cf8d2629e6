import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Calls, type Call } from './calls.js';

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
