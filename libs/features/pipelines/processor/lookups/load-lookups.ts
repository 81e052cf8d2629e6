import type { TimeSlice } from '#async';
import {
  lookupName,
  type OperatorChain,
  type PipelineEvent,
  type ProjectionAnswer,
  type ProjectionLookup,
  type GetProjectionState,
} from '#features/pipelines/computation';

/**
 * Maximum number of rounds in which a chain requests projection states. An `enrich` may depend on the result of an
 * earlier `enrich`, and a chain has at most this many operators.
 */
const mostRounds = 60;

/** Loaded answers of projections, by the result of `lookupName`. */
export type LoadedProjectionStates = Map<string, ProjectionAnswer>;

/** Adds the answers to lookups to `found`. */
export type LoadProjectionStates = (
  lookups: readonly ProjectionLookup[],
  found: LoadedProjectionStates,
) => Promise<void>;

/** An input event of an operator chain. */
export interface ChainInputEvent {
  readonly flow: PipelineEvent;
  /** The chain of this event, if it is not that of the batch: the right side of a join, which looks up nothing. */
  readonly chain?: OperatorChain;
}

/**
 * Loads all projection states that a chain needs for these input events, together. If the chain looks up nothing, the
 * inputs are returned unchanged and remain lazy. An undefined input is a record that the chain does not process.
 */
export async function loadLookups<In extends ChainInputEvent>(
  chain: OperatorChain,
  inputs: Iterable<In | undefined>,
  { load, turn }: { load: LoadProjectionStates; turn: TimeSlice },
): Promise<{ inputs: Iterable<In | undefined>; tables: GetProjectionState }> {
  if (!chain.looksUp) return { inputs, tables: () => null };
  const found: LoadedProjectionStates = new Map();
  const all: In[] = [];
  for (const input of inputs) {
    if (turn.over(sizeOf(input))) await turn.end();
    if (input) all.push(input);
  }
  const known = (lookup: ProjectionLookup): ProjectionAnswer | undefined => found.get(lookupName(lookup));
  for (let round = 0; round < mostRounds; round++) {
    const lookups = new Map<string, ProjectionLookup>();
    for (const input of all) {
      if (turn.over(sizeOf(input))) await turn.end();
      for (const lookup of (input.chain ?? chain).lookups(input.flow, known))
        lookups.set(lookupName(lookup), lookup);
    }
    if (lookups.size === 0) break;
    await load([...lookups.values()], found);
  }
  return { inputs: all, tables: (lookup) => known(lookup) ?? null };
}

/** Returns the size of an input event in characters, as the work that `TimeSlice` counts. */
export function sizeOf(input: ChainInputEvent | undefined): number {
  return input?.flow.event.data.length ?? 0;
}
