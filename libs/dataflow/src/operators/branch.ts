import { kinds } from '#cel';
import { Members, refusal } from '../pipelines/members.js';
import type { ReadableFlow } from '../pipelines/flow-event.js';
import { attempting, compileOperand, type Step } from './operator.js';

/** One branch: its condition (undefined: `otherwise`), and its operators as they were given. */
export interface Branch {
  readonly when: ((flow: ReadableFlow) => boolean) | undefined;
  readonly operators: unknown;
  readonly pointer: string;
}

/** Reads a branch. @throws DefinitionError */
export function compileBranch(spec: unknown, pointer: string): Branch {
  const members = new Members(spec, pointer, ['when', 'otherwise', 'operators']);
  if (members.has('when') === members.has('otherwise'))
    throw refusal(pointer, 'must have one of when and otherwise');
  if (members.has('otherwise') && members.any('otherwise') !== true)
    throw refusal(members.at('otherwise'), 'must be true');
  const when = members.has('when')
    ? (compileOperand(members.any('when'), members.at('when'), kinds.boolean) as Branch['when'])
    : undefined;
  return { when, operators: members.any('operators'), pointer };
}

/**
 * `branch`: the first branch whose condition is true takes the event; none, and it is dropped. A condition that has no
 * value for an event fails it: later branches are not asked.
 */
export function branchStep(branches: readonly (Branch & { step: Step })[], at: string): Step {
  const always = () => true;
  const ways = branches.map(({ when, step }) => ({ takesIt: when ? attempting(when, at) : always, step }));
  return (flow, run) => {
    for (const { takesIt, step } of ways) {
      const takes = takesIt(flow, run);
      if (takes === undefined) return;
      if (takes) {
        step(flow, run);
        return;
      }
    }
    run.outcomes.push({ kind: 'drop', at, reason: 'No branch takes it.', flow });
  };
}
