import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#event';
import { ProblemError, type InputError } from '#api';
import { askedProjections } from '#registry';
import {
  accessOf,
  apiKeyOf,
  authorize,
  bodyOf,
  BodyLimit,
  DescribeBody,
  jsonBody,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { readGivenEvents } from '#writing';
import { dryRunText, type PipelineSpec } from '#dataflow';
import type { LogEvent } from '#cel';
import { Answers, Problems } from '../../openapi/answers.js';
import { NoParameters } from '../../parameters/no-parameters.js';
import { clientGone } from '../../reads/client-gone.js';
import { DryRunAnswer } from './dry-run-answers.js';
import { DryRunInput } from './dry-run-input.js';
import { memberText } from './member-text.js';
import { PipelineDryRun } from './pipeline-dry-run.js';

const json = 'application/json; charset=utf-8';
const bodyBytes = 2 * limits.eventBytes;

@ApiTags('pipelines')
@Controller('api/v1/pipelines/dry-run')
export class DryRunController {
  constructor(private readonly runner: PipelineDryRun) {}

  @Post()
  @HttpCode(200)
  @BodyLimit(bodyBytes)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Try a pipeline: what would each operator do with these events?',
    description:
      'Nothing is written, and no webhook is called. The events are taken as all there is, in this order, in one ' +
      'partition; at the end every window closes. The definition needs what it needs to be defined. Projections are ' +
      'asked as they are now, and the answer shows what they know: for a definition that asks one, the key needs the ' +
      'scope `events:read`, too. All evaluations together have a bound.',
  })
  @DescribeBody(DryRunInput)
  @Answers(DryRunAnswer, { description: 'What became of each event, and what would be written.' })
  @Problems(
    'invalid_json',
    'invalid_expression',
    'stream_forbidden',
    'stream_reserved',
    'stream_not_found',
    'projection_not_found',
    'query_too_expensive',
    'payload_too_large',
    'unsupported_media_type',
    'store_unavailable',
  )
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    parseQuery(NoParameters, request.query);
    const { definition } = parseBody(DryRunInput, request);
    const { operators } = (jsonBody(request) as { definition: { operators?: unknown } }).definition;
    const requester = { access: accessOf(request), client: clientGone(reply.raw) };
    const { spec, compiled } = await this.runner.usable(definition, operators, requester);
    requireReader(spec, request);
    const events = await givenEvents(bodyOf(request).toString(), spec.source.streams);
    const result = await this.runner.run(compiled, events, requester.client);
    void reply.header('content-type', json).send(dryRunText(result));
  }
}

/** The answer shows states of projections, which only those may read who read events. @throws ProblemError 403 */
function requireReader(spec: PipelineSpec, request: FastifyRequest): void {
  const key = apiKeyOf(request);
  if (key && askedProjections(spec).length > 0) authorize(key, 'events:read');
}

/** @throws ProblemError 400 */
async function givenEvents(body: string, streams: readonly string[]): Promise<LogEvent[]> {
  const events = await readGivenEvents(memberText(body, 'events') ?? '[]');
  const errors = events.flatMap(({ stream }, i): InputError[] => {
    const detail = `must be among the streams of the source: ${streams.join(', ')}`;
    return streams.includes(stream) ? [] : [{ pointer: `/events/${i}/stream`, detail }];
  });
  if (errors.length > 0)
    throw new ProblemError('invalid_request', 'There are events of streams that it does not read.', {
      errors,
    });
  return events.map(({ fits: _, ...event }, offset) => ({ ...event, partition: 0, offset }));
}
