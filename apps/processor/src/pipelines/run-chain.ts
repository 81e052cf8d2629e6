import type { Chain, FlowEvent, Lookup, Outcome, Tables } from '#dataflow';
import { lookupName, type Found, type ProjectionTables } from './projection-tables.js';

/** Rounds of looking up: an enrich may depend on one before it, and there are no more operators than that. */
const mostRounds = 60;

/** What a chain is to be run over. */
export interface Input {
  readonly flow: FlowEvent;
}

/**
 * Runs a chain over events, in their order, and looks up for all of them at once what they need. An event is run when it is
 * asked for: what became of the one before may be written and forgotten by then.
 * @param load reads into `Found`; it repeats until it has
 */
export async function runChain<In extends Input>(
  chain: Chain,
  inputs: Iterable<In>,
  load: (...of: Parameters<ProjectionTables['load']>) => Promise<void>,
): Promise<Iterable<{ input: In; outcomes: readonly Outcome[] }>> {
  if (!chain.looksUp) return outcomesOf(chain, inputs, () => null);
  const found: Found = new Map();
  const all = [...inputs];
  await lookUp(chain, all, { found, load });
  return outcomesOf(chain, all, (lookup) => found.get(lookupName(lookup)) ?? null);
}

function* outcomesOf<In extends Input>(
  chain: Chain,
  inputs: Iterable<In>,
  tables: Tables,
): Generator<{ input: In; outcomes: readonly Outcome[] }> {
  for (const input of inputs) yield { input, outcomes: chain.run(input.flow, tables) };
}

async function lookUp(
  chain: Chain,
  inputs: readonly Input[],
  { found, load }: { found: Found; load: ProjectionTables['load'] },
): Promise<void> {
  const known = (lookup: Lookup): string | null | undefined => found.get(lookupName(lookup));
  for (let round = 0; round < mostRounds; round++) {
    const lookups = new Map<string, Lookup>();
    for (const { flow } of inputs)
      for (const lookup of chain.lookups(flow, known)) lookups.set(lookupName(lookup), lookup);
    if (lookups.size === 0) return;
    await load(lookups.values(), found);
  }
}
