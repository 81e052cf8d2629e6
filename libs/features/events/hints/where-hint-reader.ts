import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, PROCESS, STORE } from '#app';
import { memberPathsOf } from '#cel';
import type { StoredEvent } from '#event';
import { Bulkhead } from '#gateway-kit';
import type { ProcessContext } from '#http';
import { jsonValue } from '#json';
import { schemaName, type Definitions } from '#registry';
import type { EventFilter, Store } from '#store';
import type { WhereHint } from './where-hint.js';
import { unknownMember, type KnownObjects, type UnknownMember } from './unknown-members.js';

/** Number of the newest events that show which members events have. */
const sampled = 100;

/** Limit of the sample in bytes. A larger one gives no hints. */
const mostBytes = 2 * 1024 * 1024;

/** Longest time that an answer waits for its hints, in milliseconds. */
const mostMs = 1000;

/** Limit of hints in an answer. */
const mostHints = 10;

/** Finds out why a `where` matches no event: it names a member that no event has, such as a misspelt one. */
@Injectable()
export class WhereHintReader {
  constructor(
    @Inject(STORE) private readonly store: { reader: Pick<Store['reader'], 'query'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'schemas'>,
    @Inject(PROCESS) private readonly process: { logger: Pick<ProcessContext['logger'], 'debug'> },
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * Resolves with the hints for a query that has found no event; undefined if there are none. Reads the newest events that
   * the query selects without its `where`, once and in the same authorization scope. Reads nothing
   * while all slots of the bulkhead are taken. Never rejects: an error only means that there are no hints.
   */
  async of(query: EventFilter, client: AbortSignal): Promise<WhereHint[] | undefined> {
    const { where, ...others } = query;
    const read = where ? memberPathsOf(where, 'event') : [];
    const paths = read.filter(([first = '', ...names]) => isJsonMember(first) && names.length > 0);
    // A hint never takes the slot of a query that waits.
    if (paths.length === 0 || !this.bulkhead.hasFreeSlot) return undefined;
    try {
      const events = await this.newest(others, client);
      const hints = hintsFor(paths, events, (event) => this.schemaOf(event));
      return hints.length > 0 ? hints : undefined;
    } catch (error) {
      this.process.logger.debug({ err: error as Error }, 'the hints for a query could not be read');
      return undefined;
    }
  }

  private async newest(filter: EventFilter, client: AbortSignal): Promise<readonly StoredEvent[]> {
    const signal = AbortSignal.any([client, AbortSignal.timeout(mostMs)]);
    const query = { ...filter, order: 'desc', limit: sampled, maxBytes: mostBytes } as const;
    const { items } = await this.bulkhead.run(signal, (reading) => this.store.reader.query(query, reading));
    return items;
  }

  /** Returns the latest schema for the data of an event; undefined without one. */
  private schemaOf({ stream, event_type }: StoredEvent): unknown {
    return this.definitions.schemas.get(schemaName(stream, event_type))?.versions.at(-1)?.schema;
  }
}

function isJsonMember(name: string): name is 'data' | 'metadata' {
  return name === 'data' || name === 'metadata';
}

function hintsFor(
  paths: readonly string[][],
  events: readonly StoredEvent[],
  schemaOf: (event: StoredEvent) => unknown,
): WhereHint[] {
  if (events.length === 0) return [];
  const known: Record<'data' | 'metadata', KnownObjects> = {
    data: { values: events.map(({ data }) => jsonValue(data)), schemas: [...new Set(events.map(schemaOf))] },
    metadata: { values: events.map(({ metadata }) => jsonValue(metadata)), schemas: [] },
  };
  const hints = new Map<string, WhereHint>();
  for (const path of paths) {
    const unknown = unknownMember(path, known[path[0] as 'data' | 'metadata']);
    if (unknown) hints.set(unknown.member, hintOf(unknown, events.length));
    if (hints.size >= mostHints) break;
  }
  return [...hints.values()];
}

function hintOf({ member, known, meant }: UnknownMember, events: number): WhereHint {
  const which = events < sampled ? `None of the ${events} events` : `None of the newest ${sampled} events`;
  const sentences = [
    `${which} that the query selects without \`where\` has ${member}.`,
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    ...(known.length === 0 ? [] : [`Known members: ${known.join(', ')}.`]),
  ];
  return { member, detail: sentences.join(' '), known };
}
