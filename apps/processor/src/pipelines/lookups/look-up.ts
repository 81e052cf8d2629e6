import type { Turn } from '#async';
import type { Chain, FlowEvent, Lookup, Tables } from '#dataflow';
import { lookupName, type Found, type ProjectionTables } from './projection-tables.js';

/** Rounds of looking up: an enrich may depend on one before it, and there are no more operators than that. */
const mostRounds = 60;

/** What a chain is to be run over. */
export interface Input {
  readonly flow: FlowEvent;
}

interface Parts {
  /** Reads into `Found`; it repeats until it has. */
  readonly load: (...of: Parameters<ProjectionTables['load']>) => Promise<void>;
  readonly turn: Turn;
}

/**
 * Looks up for all events at once what a chain needs to run over them. Where it needs nothing they come back as they
 * are: each is made when it is asked for. Undefined stands for an event that the chain does not run over.
 */
export async function lookUp<In extends Input>(
  chain: Chain,
  inputs: Iterable<In | undefined>,
  { load, turn }: Parts,
): Promise<{ inputs: Iterable<In | undefined>; tables: Tables }> {
  if (!chain.looksUp) return { inputs, tables: () => null };
  const found: Found = new Map();
  const all: In[] = [];
  for (const input of inputs) {
    if (turn.over(sizeOf(input))) await turn.end();
    if (input) all.push(input);
  }
  const known = (lookup: Lookup): string | null | undefined => found.get(lookupName(lookup));
  for (let round = 0; round < mostRounds; round++) {
    const lookups = new Map<string, Lookup>();
    for (const input of all) {
      if (turn.over(sizeOf(input))) await turn.end();
      for (const lookup of chain.lookups(input.flow, known)) lookups.set(lookupName(lookup), lookup);
    }
    if (lookups.size === 0) break;
    await load(lookups.values(), found);
  }
  return { inputs: all, tables: (lookup) => known(lookup) ?? null };
}

/** Characters, for a turn. */
export function sizeOf(input: Input | undefined): number {
  return input?.flow.event.data.length ?? 0;
}
