import { Controller, Delete, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, AlwaysAnswered, DescribeQuery, parseQuery, RequireScope } from '#http';
import { requireConfirmation } from '../access/confirmation.js';
import { ReadableStreams } from '../access/readable-streams.js';
import { checkEntityId, entityParam } from '../entities/entity-address.js';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import { requireChangeable } from '../streams/named-stream.js';
import { EntityErasure } from './entity-erasure.js';
import { ErasureAnswer } from './erasure-answer.js';
import { ErasureParameters } from './erasure-parameters.js';

@ApiTags('entities')
@Controller('api/v1/entities/:entity_id')
export class ErasureController {
  constructor(
    private readonly erasure: EntityErasure,
    private readonly streams: ReadableStreams,
  ) {}

  @Delete()
  @AlwaysAnswered()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Erase an entity from a stream',
    description:
      'Its events up to now are not returned from the answer on, and no rebuild brings them back. Events that are ' +
      'written later are kept, and their versions start at 1 again. Kafka keeps the records until their retention ends; ' +
      'nothing reads them any more.',
  })
  @ApiParam(entityParam)
  @DescribeQuery(ErasureParameters, { required: ['confirm'] })
  @Answers(ErasureAnswer, { description: 'It is erased.' })
  @Answers(ErasureAnswer, {
    status: 202,
    description: 'It is erased; what had not been materialized is removed as soon as it is (`pending`).',
  })
  @Problems(
    'stream_not_found',
    'entity_not_found',
    'stream_reserved',
    'definition_limit_reached',
    'definition_conflict',
    'log_unavailable',
    'store_unavailable',
  )
  async erase(
    @Param('entity_id') entityId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ErasureAnswer> {
    const { stream, confirm } = parseQuery(ErasureParameters, request.query);
    checkEntityId(entityId);
    requireChangeable(stream, request);
    requireConfirmation(confirm, entityId, 'the id of the entity');
    const client = clientGone(reply.raw);
    const permitted = await this.streams.of({ request, streams: [stream], client });
    const answer = await this.erasure.run({ stream, entityId, permitted, actor: actorOf(request), client });
    if (answer.pending) void reply.code(202);
    return answer;
  }
}
