import { Controller, Delete, HttpCode, Param, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { actorOf, AlwaysAnswered, DescribeQuery, parseQuery, RequireScope } from '#http';
import { requireConfirmation } from '../access/confirmation.js';
import { NoContent, Problems } from '../openapi/answers.js';
import { requireChangeable, streamParam } from './named-stream.js';
import { StreamDeletion } from './stream-deletion.js';
import { StreamDeletionParameters } from './stream-parameters.js';

@ApiTags('streams')
@Controller('api/v1/streams/:stream')
export class StreamDeletionController {
  constructor(private readonly deletion: StreamDeletion) {}

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Delete a stream with all its events',
    description:
      'From the beginning on nothing of it can be written or read; then its topic, its rows and its definition go. ' +
      'Repeat the request when it was cut off: it goes on where it was. Afterwards the name may be used again. Schemas ' +
      'that were registered for the stream stay.',
  })
  @ApiParam(streamParam)
  @DescribeQuery(StreamDeletionParameters, { required: ['confirm'] })
  @NoContent('Nothing is left of it.')
  @Problems(
    'stream_not_found',
    'stream_reserved',
    'stream_being_deleted',
    'definition_conflict',
    'log_unavailable',
    'store_unavailable',
  )
  async remove(@Param('stream') stream: string, @Req() request: FastifyRequest): Promise<void> {
    const { confirm } = parseQuery(StreamDeletionParameters, request.query);
    requireChangeable(stream, request);
    requireConfirmation(confirm, stream, 'the name of the stream');
    await this.deletion.run(stream, actorOf(request));
  }
}
