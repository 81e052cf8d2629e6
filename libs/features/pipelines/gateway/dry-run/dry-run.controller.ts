import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { limits, type EventFromKafka } from '#event';
import { ProblemError, type InputProblem } from '#api';
import {
  DescribeBody,
  DisconnectSignal,
  BodyLimit,
  InjectPrincipal,
  Principal,
  RequireScope,
  takeBody,
} from '#http';
import { readGivenEvents } from '#writing';
import { dryRunText, effectsOf, sourceStreams } from '#features/pipelines/computation';
import { ApiAnswer, Problems, bodyProblems, storeProblems, jsonType } from '#gateway-kit';
import { definitionProblems } from '../pipeline-problems.js';
import { DryRunReportAnswer } from './dry-run-answers.js';
import { DryRunInput, readDryRunBody } from './dry-run-input.js';
import { PipelineDryRunner } from './pipeline-dry-runner.js';

const bodyBytes = 2 * limits.eventBytes;

/** `POST /api/v1/pipelines/dry-run`: runs events through a pipeline without writing anything. */
@ApiTags('pipelines')
@Controller('api/v1/pipelines/dry-run')
export class DryRunController {
  constructor(private readonly runner: PipelineDryRunner) {}

  @Post()
  @HttpCode(200)
  @BodyLimit(bodyBytes)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Try a pipeline: what would each operator do with these events?',
    description:
      'Nothing is written, and no webhook is called. The pipeline reads these events only, in this order ' +
      'and with one partition for each stream; at the end, every window closes. The definition must fulfil the same ' +
      'requirements as when it is created. Lookups read the current states of projections, and the answer ' +
      'shows these states. For a definition with a lookup, the key therefore also needs the scope ' +
      '`events:read`. All evaluations together have a limit.',
  })
  @DescribeBody(DryRunInput)
  @ApiAnswer(DryRunReportAnswer, {
    description: 'The steps of each event, and the events that would be written.',
  })
  @Problems(bodyProblems, definitionProblems, storeProblems)
  @Header('content-type', jsonType)
  async run(
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
  ): Promise<string> {
    const { definition, events: given } = readDryRunBody(takeBody(request).toString());
    const { spec, compiled } = await this.runner.usable(definition, { access: caller.access, client });
    // The answer shows states of projections. Only callers with the scope `events:read` may read states of projections.
    if (effectsOf(spec.operators).some(({ kind }) => kind === 'ask')) caller.requireScope('events:read');
    const events = await givenEvents(given, [...sourceStreams(spec).keys()]);
    return dryRunText(await this.runner.run(compiled, events, client));
  }
}

/**
 * Parses the text of an array of events. Returns them as events of the log, with one partition for each stream and increasing
 * offsets.
 * @throws ProblemError 400
 */
async function givenEvents(text: string, streams: readonly string[]): Promise<EventFromKafka[]> {
  const events = await readGivenEvents(text);
  const errors = events.flatMap(({ stream }, i): InputProblem[] => {
    const detail = `must be among the streams of the source and of joins: ${streams.join(', ')}`;
    return streams.includes(stream) ? [] : [{ pointer: `/events/${i}/stream`, detail }];
  });
  if (errors.length > 0)
    throw new ProblemError('invalid_request', 'Some events are of streams that the pipeline does not read.', {
      errors,
    });
  return events.map(({ fits: _, ...event }, offset) => ({ ...event, partition: 0, offset }));
}
