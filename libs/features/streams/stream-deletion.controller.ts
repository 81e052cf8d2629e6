import { Controller, Delete, HttpCode } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AlwaysAnswered, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { requireConfirmation, NoContent, Problems, changeProblems } from '#gateway-kit';
import { requireChangeable, StreamName } from './named-stream.js';
import { StreamDeleter } from './stream-deleter.js';
import { StreamDeletionParameters } from './stream-parameters.js';

/** `DELETE /api/v1/streams/{stream}`. */
@ApiTags('streams')
@Controller('api/v1/streams/:stream')
export class StreamDeletionController {
  constructor(private readonly deletion: StreamDeleter) {}

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Delete a stream with all its events',
    description:
      'From the start of the deletion, the stream can be neither written nor read. Then its topic, its ' +
      'rows and its definition are removed. If the request was interrupted, repeat it: the deletion ' +
      'continues where it stopped. Afterwards the name may be used again. Schemas that were registered ' +
      'for the stream remain.',
  })
  @NoContent('The stream is deleted.')
  @Problems(
    'stream_not_found',
    'stream_reserved',
    'stream_being_deleted',
    changeProblems,
    'store_unavailable',
  )
  async remove(
    @StreamName() stream: string,
    @Query() { confirm }: StreamDeletionParameters,
    @InjectPrincipal() { access, actor }: Principal,
  ): Promise<void> {
    requireChangeable(stream, access);
    requireConfirmation(confirm, stream, 'the name of the stream');
    await this.deletion.run(stream, actor);
  }
}
