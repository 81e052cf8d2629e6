import type { DefinitionProblem, FoldValues } from '#dataflow';
import type { KeyedOperator, StreamSelection } from '../flow/pipeline.js';
import type { LazilyParsedEvent } from '../flow/lazily-parsed-event.js';
import type { OperatorFunction } from '../flow/step.js';

/** An operator of a pipeline, as the compiler, the registry (`operators/index.ts`) and the API document use it. */
export interface OperatorImplementation<Spec = unknown> {
  /** The description of the operator in the API document, in Markdown: its members and its effect. */
  readonly summary: string;
  /**
   * True for an operator that writes events out. A dead letter replayed at it does not reach the operators after it.
   */
  readonly isOutput?: true;
  /** True for an operator that may pass on several events for one event, such as `flat_map`. */
  readonly isMultiple?: boolean;
  /** The operator that must follow and is compiled together with this one: a `reduce` follows a `window`. */
  readonly followedBy?: string;
  /** Reads the operator's JSON strictly. @throws DefinitionError with every error, each with its pointer */
  compile(spec: unknown, site: OperatorCompileContext): StatelessOperator | StatefulOperator;
  /** Returns what a valid operator reads, writes to, posts to and looks up. @param at JSON pointer to `spec` */
  effects?(spec: Spec, at: string): OperatorExternalReference[];
  /** Returns the lists of operators inside a valid operator, such as branches. @param at JSON pointer to `spec` */
  lists?(spec: Spec, at: string): OperatorJsonList[];
}

/** An operator in the form that clients write: an object with exactly one member, named after the operator. */
export type OperatorJson = Readonly<Record<string, unknown>>;

/** A list of operators, with its JSON pointer into the definition. */
export interface OperatorJsonList {
  readonly operators: readonly OperatorJson[];
  readonly pointer: string;
}

/** Where an operator is in its definition, and what its compiler may use. */
export interface OperatorCompileContext {
  /** JSON pointer to the operator's specification in the pipeline definition, such as `/operators/3/filter`. */
  readonly at: string;
  readonly isLast: boolean;
  /** Whether an operator with state comes before it, so that it reads results and not events of the sources. */
  readonly isAfterState: boolean;
  /** The next operator, if it is the operator that `followedBy` names; otherwise undefined. */
  readonly following: { readonly spec: unknown; readonly at: string } | undefined;
  readonly branch: (operators: unknown, place: BranchCompileContext) => OperatorFunctionFactory;
}

interface BranchCompileContext {
  readonly pointer: string;
  readonly index: number;
  readonly errors: DefinitionProblem[];
}

/**
 * Builds the function for the first operator of a list, which calls those of the later ones.
 * @param traces whether the trace has an entry for each operator that passes an event on
 */
export type OperatorFunctionFactory = (traces: boolean) => OperatorFunction;

/** A compiled stateless operator: returns the function that applies it, given the function of the operator after it. */
export type StatelessOperator = (next: OperatorFunction, traces: boolean) => OperatorFunction;

/**
 * A compiled operator with state for each key. It begins a stage, which events reach through a topic that is
 * partitioned by the key.
 */
export interface StatefulOperator {
  /** Returns the key that the operator's state belongs to for an event; null if the event has none and is dropped. */
  readonly keyOf: (flow: LazilyParsedEvent) => string | null;
  /** Why an event without a key is dropped, if there are other reasons than that the key is null. */
  readonly withoutKey?: string;
  /** The right side of a join: events of streams of its own, which reach the operator beside those of the left side. */
  readonly right?: RightSide;
  /** Returns the values that the operator's fold needs of an event; undefined if they are not known to be plain JSON. */
  readonly valuesOf?: (flow: LazilyParsedEvent) => FoldValues | undefined;
  /** The parts of the definition that the state depends on. If one changes, the operator begins without state. */
  readonly identity: readonly unknown[];
  /** Returns the operator of a keyed stage. @param id of the stage */
  keyed(id: string): KeyedOperator;
}

/** The right side of a join: which events it reads, and their key. */
export type RightSide = StreamSelection & Pick<StatefulOperator, 'keyOf'>;

/** What an operator does outside of its pipeline, with a JSON pointer to where the definition says so. */
export type OperatorExternalReference =
  | { readonly kind: 'write'; readonly stream: string; readonly pointer: string }
  | { readonly kind: 'read'; readonly stream: string; readonly pointer: string }
  | {
      readonly kind: 'ask';
      readonly projection: string;
      readonly pointer: string;
      /** JSON pointer to `as_of`, which needs a projection with a history; undefined without it. */
      readonly asOf?: string;
    }
  /** A webhook. `at` is the JSON pointer to the `webhook` operator. */
  | { readonly kind: 'call'; readonly url: string; readonly secretRef: string; readonly at: string };
