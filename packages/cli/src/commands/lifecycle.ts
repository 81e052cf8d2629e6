import type { CallOptions, Tributary } from '#client';
import { kindPositional } from '../resources/index.js';
import type { Command } from './command.js';

type ResettableKind = 'projection' | 'pipeline';
type RunnableKind = ResettableKind | 'subscription';

const resettable = ['projections', 'pipelines'];
const positionals = (kinds: readonly string[]) => [
  kindPositional(kinds),
  { name: 'NAME', about: 'name', completes: 'kind' as const },
];

/** Sends the request of a verb for a definition of this kind. */
function changed(
  client: Tributary,
  verb: 'pause' | 'resume' | 'reset',
  { kind, name, signal }: { kind: RunnableKind; name: string } & CallOptions,
): Promise<{ status: string }> {
  if (verb !== 'reset') return client[`${kind}s`][verb](name, { signal });
  return client[kind === 'projection' ? 'projections' : 'pipelines'].reset(name, { signal });
}

/** Returns the command of a verb, which reports the kind and the name of what it changed. */
function lifecycleCommand(
  verb: 'pause' | 'resume' | 'reset',
  { done, ...command }: Pick<Command, 'summary' | 'details' | 'effect'> & { done: string },
): Command {
  return {
    ...command,
    name: verb,
    positionals: positionals(verb === 'reset' ? resettable : [...resettable, 'subscriptions']),
    async run(session, input) {
      const [kind, name] = [input.word('KIND').replace(/s$/, '') as RunnableKind, input.word('NAME')];
      if (verb === 'reset')
        await session.requireConfirmed(name, {
          what: `Resets the ${kind} ${name}: ${ofReset[kind as ResettableKind]}`,
        });
      const { signal } = session;
      const { status } = await changed(await session.client(), verb, { kind, name, signal });
      session.report(`${done} ${kind} ${name}; its status is ${status}`);
    },
  };
}

/** What a reset does. */
const ofReset: Record<ResettableKind, string> = {
  projection: 'its states are computed again from its streams; until then reads have the current states.',
  pipeline:
    'it discards its windows, processes its streams again, and emits the results again as other events. Events that it emitted before remain.',
};

export const pause = lifecycleCommand('pause', {
  summary: 'Pauses a projection, a pipeline or a subscription: it processes no events until `resume`.',
  effect: 'writes',
  done: 'paused',
});

export const resume = lifecycleCommand('resume', {
  summary: 'Resumes a paused or failed projection, pipeline or subscription where it stopped.',
  effect: 'writes',
  done: 'resumed',
});

export const reset = lifecycleCommand('reset', {
  summary: 'Resets a projection or a pipeline: it processes its streams again.',
  details: `Of a projection, ${ofReset.projection}\nA pipeline starts again: ${ofReset.pipeline}`,
  effect: 'destroys',
  done: 'reset',
});
