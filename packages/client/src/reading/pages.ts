import { InvalidAnswerError } from '../errors/tributary-error.js';
import type { WhereHint } from '../types/schemas.js';
import { elementsOf, membersOf } from '../json/json-text.js';

/** One page of a list. */
export interface Page<T> {
  items: T[];
  has_more: boolean;
  /** Send this as `cursor` of the same query to read the next page; null after the last page. */
  next_cursor: string | null;
  /** The number of items in the whole list, if the API counts it. */
  total?: number;
  /** Why a query for events has perhaps found nothing: members of its `where` that no event has. */
  hints?: WhereHint[];
}

/** A list that is read page by page: `for await` iterates its items, `pages()` its pages. */
export class Pages<T> implements AsyncIterable<T> {
  constructor(
    private readonly readPage: (cursor: string | undefined) => Promise<Page<T>>,
    private readonly from?: string,
  ) {}

  /** Reads only one page: the first page of the list, or the page at the query's `cursor`. */
  first(): Promise<Page<T>> {
    return this.readPage(this.from);
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = this.from;
    do {
      const page = await this.readPage(cursor);
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }
}

/** Parses the JSON of a page whose items are in the member `name`. */
export function readPage<T>(text: string, name: string, readItem: (text: string) => T): Page<T> {
  const members = membersOf(text);
  const items = members.get(name);
  if (items === undefined) throw new InvalidAnswerError(`The answer has no "${name}".`);
  members.delete(name);
  members.delete('count');
  const rest = [...members].map(([name, value]) => [name, JSON.parse(value) as unknown] as const);
  return { items: elementsOf(items).map(readItem), ...Object.fromEntries(rest) } as Page<T>;
}
