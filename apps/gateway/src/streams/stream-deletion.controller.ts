import { Controller, Delete, HttpCode } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AlwaysAnswered, Caller, Principal, Query, RequireScope } from '#http';
import { requireConfirmation } from '../access/confirmation.js';
import { NoContent } from '../openapi/answers.js';
import { requireChangeable, StreamName } from './named-stream.js';
import { StreamDeletion } from './stream-deletion.js';
import { Problems, changes } from '../openapi/problems.js';
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
  @NoContent('Nothing is left of it.')
  @Problems('stream_not_found', 'stream_reserved', 'stream_being_deleted', changes, 'store_unavailable')
  async remove(
    @StreamName() stream: string,
    @Query() { confirm }: StreamDeletionParameters,
    @Caller() { access, actor }: Principal,
  ): Promise<void> {
    requireChangeable(stream, access);
    requireConfirmation(confirm, stream, 'the name of the stream');
    await this.deletion.run(stream, actor);
  }
}
