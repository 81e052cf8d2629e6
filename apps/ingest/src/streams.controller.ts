import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError, StreamInput } from '#contracts';
import type { Definitions } from '#definitions';
import { RequireScope, DescribeBody, parseBody, parseQuery } from '#http';
import { NoQuery } from './batch-input.js';
import { WRITE_PORTS, type WritePorts } from './write-ports.js';

/** Creating streams before their first event. */
@ApiTags('streams')
@Controller('api/v1/streams')
export class StreamsWriteController {
  private readonly definitions: Definitions;

  constructor(@Inject(WRITE_PORTS) ports: WritePorts) {
    this.definitions = ports.definitions;
  }

  @ApiOperation({ summary: 'Create a stream' })
  @ApiResponse({ status: 201, description: 'The stream, as it was created.' })
  @ApiResponse({
    status: 409,
    description: 'There is one of this name, or of one that Kafka takes for the same.',
  })
  @DescribeBody(StreamInput)
  @RequireScope('definitions:write')
  @Post()
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    parseQuery(NoQuery, request.query);
    const { stream, partitions, retention } = parseBody(StreamInput, request);
    const { definition, created } = await this.definitions.createStream({
      stream,
      ...(partitions != null && { partitions }),
      ...(retention != null && { retention }),
    });
    if (!created) throw new ProblemError('stream_exists', `There is a stream ${stream} already.`);
    void reply.code(201).send(definition);
  }
}
