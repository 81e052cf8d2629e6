import { pointerTo } from '#event';
import { collecting, type DefinitionFault } from '../definition/definition-error.js';
import { list, object, refusal } from '../definition/members.js';
import type { KeyedStage } from '../flow/flow.js';
import { pipelineLimits } from '../flow/limits.js';
import { attempting, type Step } from '../flow/step.js';
import { operators } from '../operators/index.js';
import type { Effect, MakeStep, Operator, Site, StageOperator, StepOperator } from '../operators/operator.js';
import { operatorChain, type ChainUse } from './chain.js';
import { stageId } from './stage-id.js';

/** Collects the stages, effects and entry points of all operators while a definition is compiled. */
export class Compilation {
  readonly stages: KeyedStage[] = [];
  readonly feeders = new Map<string, string | undefined>();
  readonly effects: Effect[] = [];
  /** Entry points for replayed events, by the operator's pointer. */
  readonly entries = new Map<string, Entry>();
  operators = 0;
}

/** An entry point: an operator at which a replayed event continues. */
export interface Entry {
  readonly make: MakeStep;
  /** Properties of the chain that contains the operator. */
  readonly chain: ChainUse;
}

/** The location of a list of operators. */
interface Place {
  readonly pointer: string;
  /** Id of the stage that contains the list; undefined for the first stage, which reads the source. */
  readonly stage: string | undefined;
  /** The indices of the branches that lead to the list, in this stage and in the stages before it. */
  readonly branches: readonly number[];
  /** Properties of the chain that contains the list; compiling an operator may change them. */
  readonly chain: { looksUp: boolean };
  /** Receives the errors of the operators, in their order. */
  readonly errors: DefinitionFault[];
}

const end: MakeStep = () => () => undefined;

/** Compiles a list of operators into the steps of its stage. An operator with state begins a stage of its own. */
export function compileList(value: unknown, place: Place, made: Compilation): MakeStep {
  const { pointer, errors } = place;
  const specs = collecting(errors, () => list(value, pointer, [0, pipelineLimits.operators])) ?? [];
  return compileFrom(specs, 0, { ...place, made });
}

type Context = Place & { readonly made: Compilation };

function compileFrom(specs: readonly unknown[], index: number, context: Context): MakeStep {
  if (index >= specs.length) return end;
  const { made, errors } = context;
  made.operators += 1;
  const named = collecting(errors, () => operatorOf(specs[index], pointerTo(context.pointer, index)));
  if (!named) return compileFrom(specs, index + 1, context);
  const { operator, at, spec } = named;
  const site = siteOf(named, { specs, index, context });
  if (site.following) made.operators += 1;
  const compiled = collecting(errors, () => operator.compile(spec, site));
  if (compiled) addEffects(named, context);
  const rest = (place: Context) => compileFrom(specs, index + (site.following ? 2 : 1), place);
  if (!compiled) return rest(context);
  return typeof compiled === 'function'
    ? compileStep(compiled, named, { context, rest: rest(context) })
    : compileStage(compiled, at, { context, rest });
}

interface Named {
  readonly operator: Operator;
  readonly spec: unknown;
  /** JSON pointer to the value of the operator's member, which is `spec`. */
  readonly at: string;
}

/** Reads the only member of an operator: its name and its spec. */
function operatorOf(value: unknown, pointer: string): Named {
  const names = Object.keys(object(value, pointer));
  const [name] = names;
  const known = Object.keys(operators).join(', ');
  if (name === undefined || names.length > 1)
    throw refusal(pointer, `must have exactly one member, one of ${known}`);
  const at = pointerTo(pointer, name);
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!operator) throw refusal(at, `is not a known operator; known operators are ${known}`);
  return { operator, at, spec: (value as Record<string, unknown>)[name] };
}

interface Position {
  readonly specs: readonly unknown[];
  readonly index: number;
  readonly context: Context;
}

function siteOf({ operator: { followedBy }, at }: Named, { specs, index, context }: Position): Site {
  return {
    at,
    isLast: index === specs.length - 1,
    following: followingOf(specs[index + 1], followedBy, pointerTo(context.pointer, index + 1)),
    branch: (value, { pointer, index: branch, errors }) => {
      const branches = [...context.branches, branch];
      const place = { ...context, pointer: `${pointer}/operators`, branches, errors };
      const make = compileList(value, place, context.made);
      return (traces) => (traces ? passed(pointer, make(traces)) : make(traces));
    },
  };
}

function followingOf(next: unknown, name: string | undefined, pointer: string): Site['following'] {
  if (name === undefined || typeof next !== 'object' || next === null) return undefined;
  const names = Object.keys(next);
  if (names.length !== 1 || names[0] !== name) return undefined;
  return { spec: (next as Record<string, unknown>)[name], at: pointerTo(pointer, name) };
}

function addEffects({ operator, spec, at }: Named, { made, chain }: Context): void {
  const effects = operator.effects?.(spec, at) ?? [];
  made.effects.push(...effects);
  chain.looksUp ||= effects.some(({ kind }) => kind === 'ask');
}

/** The context of a stateless operator, with the compiled list of operators after it (`rest`). */
interface StepPlace {
  readonly context: Context;
  readonly rest: MakeStep;
}

function compileStep(
  compiled: StepOperator,
  { operator: { isOutput }, at }: Named,
  { context: { made, chain }, rest }: StepPlace,
): MakeStep {
  const nextOf = (traces: boolean) => (traces && !isOutput ? passed(at, rest(traces)) : rest(traces));
  const make: MakeStep = (traces) => compiled(nextOf(traces), traces);
  const only: MakeStep = (traces) => compiled(end(traces), traces);
  made.entries.set(at, { make: isOutput ? only : make, chain });
  return make;
}

/** The most entries of a trace; more would not be read. */
const mostTraced = 20_000;

/** Returns the step with a trace entry before it. */
function passed(at: string, next: Step): Step {
  return (flow, context) => {
    if (context.outcomes.length < mostTraced) context.outcomes.push({ kind: 'pass', at, flow });
    next(flow, context);
  };
}

/** The context of an operator with state. `rest` compiles the operators after it, which belong to another stage. */
interface StagePlace {
  readonly context: Context;
  readonly rest: (place: Context) => MakeStep;
}

function compileStage(compiled: StageOperator, at: string, { context, rest }: StagePlace): MakeStep {
  const { made } = context;
  const id = stageId(compiled.identity, context);
  const chain = { looksUp: false };
  const stage = { id, at, operator: compiled.keyed(id), chain: operatorChain(end, chain) };
  // The stage is added before its operators are compiled, so that it precedes the stages that it feeds.
  made.stages.push(stage);
  made.feeders.set(id, context.stage);
  stage.chain = operatorChain(rest({ ...context, stage: id, chain }), chain);
  const step = forwardStep(id, at, compiled);
  made.entries.set(at, { make: () => step, chain: context.chain });
  return () => step;
}

function forwardStep(stage: string, at: string, { keyOf }: StageOperator): Step {
  const keyed = attempting((flow) => ({ key: keyOf(flow) }), at);
  return (flow, context) => {
    const key = keyed(flow, context)?.key;
    if (key === undefined) return;
    if (key === null) context.outcomes.push({ kind: 'drop', at, reason: 'The key is null.', flow });
    else context.outcomes.push({ kind: 'forward', at, stage, key, flow });
  };
}
