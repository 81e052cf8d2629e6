import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { dryRunLimits } from '#features/pipelines/computation';
import { parseBody } from '#http';
import { JsonSchemaPart, ObjectOf } from '#gateway-kit';
import { exampleSpec, PipelineReplacementInput } from '../pipeline-input.js';
import { requireDefinitionSize } from '../validated-pipeline.js';
import { jsonElements, jsonMembers } from './json-members.js';

/**
 * Body of `POST /api/v1/pipelines/dry-run`: a pipeline definition, and events to try it with. `readDryRunBody` validates
 * the events.
 */
@JSONSchema({
  additionalProperties: false,
  example: {
    definition: exampleSpec,
    events: [{ stream: 'orders', event_type: 'order.placed', data: { amount: 120.5, currency: 'EUR' } }],
  },
})
export class DryRunInput {
  @IsObject()
  @ObjectOf(PipelineReplacementInput)
  definition: PipelineReplacementInput;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(dryRunLimits.events)
  @JsonSchemaPart({
    type: 'array',
    minItems: 1,
    maxItems: dryRunLimits.events,
    items: { $ref: '#/components/schemas/EventInput' },
    description:
      'The events in the form in which they would be written, in the order in which the pipeline would read them.',
    example: [{ stream: 'orders', event_type: 'order.placed', data: { amount: 120.5, currency: 'EUR' } }],
  })
  events: object[];
}

/**
 * Reads the body of a dry run: the definition, and the text of the array of events. The limit of the body's size allows
 * for events, which are read like those of a write. Validating all of it by class would take minutes for some bodies:
 * `DryRunInput` validates an outline of the body, in which zeros stand for the events, and whose definition is not
 * larger than any other definition.
 * @throws ProblemError `invalid_json`, `invalid_request`, `payload_too_large`
 */
export function readDryRunBody(text: string): { definition: PipelineReplacementInput; events: string } {
  const members = jsonMembers(text, ['definition', 'events']);
  const definition = members?.desired.get('definition');
  const events = members?.desired.get('events');
  requireDefinitionSize(definition ?? '');
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
