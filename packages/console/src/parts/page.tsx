import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { hrefOf } from '../app/router.js';
import { tributary, type Call } from '../logic/shell.js';
import { Calls } from './calls.js';
import { List, type ListProps } from './list.js';
import { Empty } from './states.js';
import { Text } from './values.js';

interface PageProps {
  title: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  calls?: readonly Call[];
  children: ComponentChildren;
}

/** A view: its heading, its content, and the requests that return the same data. */
export function Page({ title, about, actions, calls = [], children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>
            <Text value={title} />
          </h1>
          {about && <p class="muted">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
      <Calls calls={calls} />
    </>
  );
}

interface ListPageProps<T> extends Omit<ListProps<T>, 'label'> {
  /** The name of the resources; in lower case it is their name in the API. */
  title: string;
  about: string;
  actions?: ComponentChildren;
  /** Shown above the list. */
  children?: ComponentChildren;
}

/** A view that lists all resources of a kind. */
export function ListPage<T>({ title, about, actions, children, ...list }: ListPageProps<T>) {
  const resources = title.toLowerCase();
  return (
    <Page
      title={title}
      about={about}
      actions={actions}
      calls={[[`/api/v1/${resources}`, undefined, tributary('get', [resources])]]}
    >
      {children}
      <List label={title} {...list} />
    </Page>
  );
}

interface CardProps {
  title: string;
  /** The name of the section for screen readers; the title by default. */
  label?: string;
  /** Shown beside the title. */
  beside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
  role?: 'status';
}

/** A titled part of a view, in a frame. */
export function Card({ title, label = title, beside, children, class: className = '', role }: CardProps) {
  const heading = <h2>{title}</h2>;
  return (
    <section class={`card ${className}`} role={role} aria-label={label}>
      {beside === undefined ? (
        heading
      ) : (
        <div class="card-head">
          {heading}
          {beside}
        </div>
      )}
      {children}
    </section>
  );
}

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no view at this address.">
        <a href={hrefOf([])}>Go to the overview</a>
      </Empty>
    </Page>
  );
}
