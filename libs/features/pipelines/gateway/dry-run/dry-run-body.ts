import { limits } from '#event';
import { ProblemError } from '#api';
import { parseBody } from '#http';
import { dryRunLimits } from '#dataflow';
import type { PipelineReplacementInput } from '../pipeline-input.js';
import { DryRunInput } from './dry-run-input.js';
import { jsonElements, jsonMembers } from './json-members.js';

/** A request for a dry run: the definition of the pipeline, and the text of the array of events. */
interface DryRunBody {
  definition: PipelineReplacementInput;
  events: string;
}

/**
 * Reads the body of a dry run. The limit of the body's size allows for events, which are read like those of a write.
 * Validating all of it by class would take minutes for some bodies: `DryRunInput` validates an outline of the body, in
 * which zeros stand for the events, and whose definition is not larger than any other definition.
 * @throws ProblemError `invalid_json`, `invalid_request`, `payload_too_large`
 */
export function readDryRunBody(text: string): DryRunBody {
  const members = jsonMembers(text, ['definition', 'events']);
  const definition = members?.wanted.get('definition');
  const events = members?.wanted.get('events');
  const bytes = Buffer.byteLength(definition ?? '');
  if (bytes > limits.definitionBytes) {
    const detail = `The definition takes ${bytes} bytes; at most ${limits.definitionBytes} are allowed.`;
    throw new ProblemError('payload_too_large', detail);
  }
  const outline = [
    ...(members?.others ?? []).map((name) => `${JSON.stringify(name)}:0`),
    ...(definition === undefined ? [] : [`"definition":${definition}`]),
    ...(events === undefined ? [] : [`"events":${zerosFor(events)}`]),
  ];
  const body = parseBody(DryRunInput, Buffer.from(members ? `{${outline.join()}}` : '0'));
  return { definition: body.definition, events: events! };
}

/** Returns an array with as many zeros as the array has elements, up to one too many; 0 for what is not an array. */
function zerosFor(events: string): string {
  const count = jsonElements(events, dryRunLimits.events + 1);
  return count === undefined ? '0' : JSON.stringify(Array.from({ length: count }, () => 0));
}
