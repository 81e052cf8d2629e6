import type { CallOptions, Tributary } from '#client';
import { kindPositional } from '../resources/index.js';
import type { Command } from './command.js';

type RunnableKind = 'projection' | 'pipeline';

const positionals = [
  kindPositional(['projections', 'pipelines']),
  { name: 'NAME', about: 'name', completes: 'kind' as const },
];

/** Returns the part of the client that pauses, resumes and resets definitions of a kind. */
function collectionOf(client: Tributary, kind: RunnableKind) {
  return kind === 'projection' ? client.projections : client.pipelines;
}

/** Returns the command of a verb, which reports the kind and the name of what it changed. */
function lifecycleCommand(
  verb: 'pause' | 'resume' | 'reset',
  { done, ...command }: Pick<Command, 'summary' | 'details' | 'effect'> & { done: string },
): Command {
  return {
    ...command,
    name: verb,
    positionals,
    async run(session, input) {
      const [kind, name] = [input.word('KIND').replace(/s$/, '') as RunnableKind, input.word('NAME')];
      if (verb === 'reset')
        await session.requireConfirmed(name, { what: `Resets the ${kind} ${name}: ${ofReset[kind]}` });
      const collection = collectionOf(await session.client(), kind);
      const options: CallOptions = { signal: session.signal };
      const { status } = (await collection[verb](name, options)) as { status: string };
      session.report(`${done} ${kind} ${name}; its status is ${status}`);
    },
  };
}

/** What a reset does. */
const ofReset: Record<RunnableKind, string> = {
  projection: 'its states are computed again from its streams; until then reads have the current states.',
  pipeline:
    'it discards its windows, processes its streams again, and emits the results again as other events. Events that it emitted before remain.',
};

export const pause = lifecycleCommand('pause', {
  summary: 'Pauses a projection or a pipeline: it processes no events until `resume`.',
  effect: 'writes',
  done: 'paused',
});

export const resume = lifecycleCommand('resume', {
  summary: 'Resumes a paused or failed projection or pipeline where it stopped.',
  effect: 'writes',
  done: 'resumed',
});

export const reset = lifecycleCommand('reset', {
  summary: 'Resets a projection or a pipeline: it processes its streams again.',
  details: `Of a projection, ${ofReset.projection}\nA pipeline starts again: ${ofReset.pipeline}`,
  effect: 'destroys',
  done: 'reset',
});
