import type { DefinitionFault } from '../definition/definition-error.js';
import type { KeyedOperator } from '../flow/flow.js';
import type { ReadableFlow } from '../flow/flow-event.js';
import type { Step } from '../flow/step.js';

/**
 * One operator of a pipeline: all that the compiler, the registry and the API document know of it. `operators/index.ts` lists
 * the operators by the names that definitions give them.
 */
export interface Operator<Spec = unknown> {
  /** Its line in the API document: its members and what it does, in Markdown. */
  readonly summary: string;
  /** True if events leave the pipeline here. A dead letter that is replayed here does not pass the operators after it. */
  readonly isOutput?: true;
  /** Names the operator that stands after it and is compiled with it. */
  readonly followedBy?: string;
  /**
   * Reads its JSON strictly, and returns what it does with an event.
   * @throws DefinitionError with every error, each with its pointer
   */
  compile(spec: unknown, site: Site): StepOperator | StageOperator;
  /** Returns what it reaches outside the pipeline. @param spec compiles @param at pointer to it */
  effects?(spec: Spec, at: string): Effect[];
  /** Returns the lists of operators within it. @param spec compiles @param at pointer to it */
  lists?(spec: Spec, at: string): OperatorList[];
}

/** An operator as clients write it: exactly one member, its name. Each operator reads its own JSON. */
export type OperatorSpec = Readonly<Record<string, unknown>>;

/** A list of operators, and where it stands in the definition. */
export interface OperatorList {
  readonly operators: readonly OperatorSpec[];
  readonly pointer: string;
}

/** Where an operator stands in its definition. */
export interface Site {
  /** JSON pointer to what the operator's name holds: `/operators/3/filter`. */
  readonly at: string;
  /** Whether no operator stands after it in its list. */
  readonly isLast: boolean;
  /** What the operator that `followedBy` names holds; undefined if another one, or none, stands after it. */
  readonly following: { readonly spec: unknown; readonly at: string } | undefined;
  /** Compiles the member `operators` of a branch. */
  readonly branch: (operators: unknown, place: BranchPlace) => MakeStep;
}

/** Where a branch stands in its operator. */
export interface BranchPlace {
  readonly pointer: string;
  readonly index: number;
  /** Takes what is wrong with the operators of the branch. */
  readonly errors: DefinitionFault[];
}

/** Makes the first step of a list. @param traces whether each operator that lets an event pass says so */
export type MakeStep = (traces: boolean) => Step;

/** Takes each event on its own: makes its step, given the step after it. */
export type StepOperator = (next: Step, traces: boolean) => Step;

/** Has state for each key. Events go to it through a topic that is partitioned by the key; it begins a stage. */
export interface StageOperator {
  /** Null: the event is dropped. */
  readonly keyOf: (flow: ReadableFlow) => string | null;
  /** What makes its state another one: with another identity it begins without state. */
  readonly identity: readonly unknown[];
  /** @param id of the stage */
  keyed(id: string): KeyedOperator;
}

/** What an operator reaches outside the pipeline, with the pointer to where the definition says so. */
export type Effect =
  | { readonly kind: 'write'; readonly stream: string; readonly pointer: string }
  | { readonly kind: 'ask'; readonly projection: string; readonly pointer: string }
  /** `at` points to the operator. */
  | { readonly kind: 'call'; readonly url: string; readonly secretRef: string; readonly at: string };
