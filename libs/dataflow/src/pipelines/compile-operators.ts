import { pointerTo } from '#event';
import type { InputError } from '#api';
import { compileBranch, branchStep } from '../operators/branch.js';
import { compileDedupe } from '../operators/dedupe.js';
import { operatorNames, statelessOperators } from '../operators/index.js';
import { attempting, type Operator, type Step } from '../operators/operator.js';
import { compileReduce } from '../operators/reduce.js';
import type { Webhook } from '../operators/webhook.js';
import { compileWindow } from '../operators/window.js';
import { operatorChain, type Steps } from './chain.js';
import type { KeyedOperator, KeyedStage } from './flow.js';
import type { ReadableFlow } from './flow-event.js';
import { pipelineLimits } from './limits.js';
import { collecting, list, object, refusal } from './members.js';
import { stageId } from './stage-id.js';

/** What is being made of a definition: everything that is found in its operators, wherever they stand. */
export class Compilation {
  readonly errors: InputError[] = [];
  readonly stages: KeyedStage[] = [];
  readonly feeders = new Map<string, string | undefined>();
  readonly writes = new Set<string>();
  readonly webhooks: Webhook[] = [];
  readonly projections = new Set<string>();
  /** By pointer, what goes on at each operator. */
  readonly entries = new Map<string, Entry>();
  operators = 0;
  outputs = 0;
}

/** Where an event can go on. */
export interface Entry {
  readonly step: Step;
  /** Of the stage that it stands in. */
  readonly chain: { readonly looksUp: boolean };
}

/** Where a list of operators stands. */
interface Place {
  readonly pointer: string;
  /** The stage that it is part of; undefined for the source's. */
  readonly stage: string | undefined;
  /** Which branches lead to it, of those in this stage and the ones before. */
  readonly branches: readonly number[];
  /** Of its stage. */
  readonly chain: { looksUp: boolean };
}

const nothing: Steps = { plain: () => undefined, traced: () => undefined };

/** Compiles a list of operators into the steps of its stage; windows and dedupes in it become stages of their own. */
export function compileList(value: unknown, place: Place, made: Compilation): Steps {
  const specs =
    collecting(made.errors, () => list(value, place.pointer, [0, pipelineLimits.operators])) ?? [];
  return compileFrom(specs, 0, { ...place, made });
}

type Context = Place & { readonly made: Compilation };

function compileFrom(specs: readonly unknown[], index: number, context: Context): Steps {
  if (index >= specs.length) return nothing;
  const { made } = context;
  made.operators += 1;
  const pointer = pointerTo(context.pointer, index);
  const named = collecting(made.errors, () => operatorOf(specs[index], pointer));
  if (!named) return compileFrom(specs, index + 1, context);
  const { name, spec } = named;
  const at = pointerTo(pointer, name);
  if (name === 'window') return compileWindowStage(specs, index, { spec, at, context });
  if (name === 'dedupe') return compileDedupeStage(specs, index, { spec, at, context });
  if (name === 'branch') {
    const branches = compileBranches(spec, at, context);
    made.entries.set(at, { step: branches.plain, chain: context.chain });
    if (index < specs.length - 1)
      made.errors.push({
        pointer: at,
        detail: 'must be the last operator of its list: put the others into branches',
      });
    return branches;
  }
  if (name === 'reduce') {
    made.errors.push({ pointer: at, detail: 'must follow a window' });
    return compileFrom(specs, index + 1, context);
  }
  const operator = collecting(made.errors, () => compileStateless(name, { spec, at, context }));
  const next = compileFrom(specs, index + 1, context);
  if (!operator) return next;
  const steps = after(operator, at, { next, traces: !isOutput(name) });
  const step = isOutput(name) ? operator(nothing.plain) : steps.plain;
  made.entries.set(at, { step, chain: context.chain });
  return steps;
}

/** The one member of an operator. */
function operatorOf(value: unknown, pointer: string): { name: string; spec: unknown } {
  const names = Object.keys(object(value, pointer));
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw refusal(pointer, `must have exactly one member, one of ${operatorNames.join(', ')}`);
  if (!operatorNames.includes(name))
    throw refusal(pointerTo(pointer, name), `is not a known operator; those are ${operatorNames.join(', ')}`);
  return { name, spec: (value as Record<string, unknown>)[name] };
}

function isOutput(name: string): boolean {
  return name === 'emit' || name === 'webhook';
}

interface At {
  readonly spec: unknown;
  readonly at: string;
  readonly context: Context;
}

function compileStateless(name: string, { spec, at, context: { made, chain } }: At): Operator {
  if (isOutput(name)) made.outputs += 1;
  const { operator, stream, webhook, projection } = statelessOperators[name]!(spec, at);
  if (stream !== undefined) made.writes.add(stream);
  if (webhook) made.webhooks.push(webhook);
  if (projection !== undefined) {
    made.projections.add(projection);
    chain.looksUp = true;
  }
  return operator;
}

function after(operator: Operator, at: string, { next, traces }: { next: Steps; traces: boolean }): Steps {
  return { plain: operator(next.plain), traced: operator(traces ? passed(at, next.traced) : next.traced) };
}

/** More than anybody reads. */
const mostTraced = 20_000;

/** The step, told of in a trace. */
function passed(at: string, next: Step): Step {
  return (flow, run) => {
    if (run.outcomes.length < mostTraced) run.outcomes.push({ kind: 'pass', at, flow });
    next(flow, run);
  };
}

function compileBranches(spec: unknown, at: string, context: Context): Steps {
  const { made } = context;
  const specs = collecting(made.errors, () => list(spec, at, [1, pipelineLimits.operators])) ?? [];
  const depth = at.split('/branch').length - 1;
  if (depth > pipelineLimits.branchDepth) {
    const detail = `is nested more than ${pipelineLimits.branchDepth} levels deep`;
    made.errors.push({ pointer: at, detail });
    return nothing;
  }
  const branches = specs.flatMap((value, i) => {
    const pointer = pointerTo(at, i);
    const branch = collecting(made.errors, () => compileBranch(value, pointer));
    if (!branch) return [];
    if (!branch.when && i < specs.length - 1)
      made.errors.push({ pointer: pointerTo(pointer, 'otherwise'), detail: 'must be the last branch' });
    const { plain, traced } = compileList(
      branch.operators,
      { ...context, pointer: pointerTo(pointer, 'operators'), branches: [...context.branches, i] },
      made,
    );
    return [{ branch, plain, traced: passed(pointer, traced) }];
  });
  const way = (which: keyof Steps) =>
    branchStep(
      branches.map((steps) => ({ ...steps.branch, step: steps[which] })),
      at,
    );
  return { plain: way('plain'), traced: way('traced') };
}

function compileWindowStage(specs: readonly unknown[], index: number, { spec, at, context }: At): Steps {
  const { made } = context;
  const window = collecting(made.errors, () => compileWindow(spec, at));
  if (window?.late !== undefined) {
    made.writes.add(window.late);
    made.outputs += 1;
  }
  const following = index + 1 < specs.length ? specs[index + 1] : undefined;
  const reducePointer = pointerTo(pointerTo(context.pointer, index + 1), 'reduce');
  if (typeof following !== 'object' || following === null || !Object.hasOwn(following, 'reduce')) {
    made.errors.push({ pointer: at, detail: 'must be followed by a reduce' });
    compileFrom(specs, index + 1, context);
    return nothing;
  }
  made.operators += 1;
  const reduce = collecting(made.errors, () => {
    const { spec: fields } = operatorOf(following, pointerTo(context.pointer, index + 1));
    return { fields, fold: compileReduce(fields, reducePointer) };
  });
  const id = window && reduce && stageId([...window.identity, reduce.fields], context);
  const operator =
    id === undefined
      ? undefined
      : window?.operator({ stage: id, fold: reduce!.fold, reduceAt: reducePointer });
  return compileStage(specs, index + 2, { id, at, operator, keyOf: window?.keyOf, context });
}

function compileDedupeStage(specs: readonly unknown[], index: number, { spec, at, context }: At): Steps {
  const dedupe = collecting(context.made.errors, () => compileDedupe(spec, at));
  const id = dedupe && stageId(dedupe.identity, context);
  return compileStage(specs, index + 1, {
    id,
    at,
    operator: dedupe?.operator,
    keyOf: dedupe?.keyOf,
    context,
  });
}

interface StageParts {
  /** Undefined where there are errors, as the two after it. */
  readonly id: string | undefined;
  readonly operator: KeyedOperator | undefined;
  readonly keyOf: ((flow: ReadableFlow) => string | null) | undefined;
  readonly at: string;
  readonly context: Context;
}

/** What comes after a window or a dedupe is another stage. */
function compileStage(
  specs: readonly unknown[],
  index: number,
  { id, at, operator, keyOf, context }: StageParts,
): Steps {
  const { made } = context;
  const place = { ...context, stage: id, chain: { looksUp: false } };
  if (id === undefined || !operator || !keyOf) {
    compileFrom(specs, index, place);
    return nothing;
  }
  // Its place among the stages is before those that it feeds.
  const order = made.stages.length;
  made.feeders.set(id, context.stage);
  made.stages.push({ id, at, operator, chain: operatorChain(nothing, place.chain) });
  const steps = compileFrom(specs, index, place);
  made.stages[order] = { id, at, operator, chain: operatorChain(steps, place.chain) };
  const step = forwardStep(id, at, keyOf);
  made.entries.set(at, { step, chain: context.chain });
  return { plain: step, traced: step };
}

function forwardStep(stage: string, at: string, keyOf: (flow: ReadableFlow) => string | null): Step {
  const keyed = attempting((flow) => ({ key: keyOf(flow) }), at);
  return (flow, run) => {
    const key = keyed(flow, run)?.key;
    if (key === undefined) return;
    if (key === null) run.outcomes.push({ kind: 'drop', at, reason: 'Its key is null.', flow });
    else run.outcomes.push({ kind: 'forward', at, stage, key, flow });
  };
}
