import { Controller, Delete, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DisconnectSignal, AlwaysAnswered, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { requireConfirmation, StreamReadAuthorizer, ApiAnswer, Problems, createProblems } from '#gateway-kit';
import { EntityId } from '#features/entities';
import { requireChangeable } from '#features/streams';
import { EntityEraser } from './entity-eraser.js';
import { ErasureAnswer } from './erasure-answer.js';
import { ErasureParameters } from './erasure-parameters.js';

/** `DELETE /api/v1/entities/{entity_id}`: erases an entity's events from one stream. */
@ApiTags('entities')
@Controller('api/v1/entities/:entity_id')
export class ErasureController {
  constructor(
    private readonly erasure: EntityEraser,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Delete()
  @AlwaysAnswered()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Erase an entity from a stream',
    description:
      'After the answer, no read returns the events that the entity has now, and no rebuild restores ' +
      'them. Events that are written later are kept, and their versions start at 1 again. Kafka keeps the ' +
      'records until their retention ends, but nothing reads them any more.',
  })
  @ApiAnswer(ErasureAnswer, { description: 'The entity is erased.' })
  @ApiAnswer(ErasureAnswer, {
    status: 202,
    description:
      'The entity is erased. Events that were not materialized yet are removed as soon as they are (`pending`).',
  })
  @Problems('stream_not_found', 'entity_not_found', 'stream_reserved', createProblems, 'store_unavailable')
  async erase(
    @EntityId() entityId: string,
    @Query() { stream, confirm }: ErasureParameters,
    @InjectPrincipal() { access, actor }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ErasureAnswer> {
    requireChangeable(stream, access);
    requireConfirmation(confirm, entityId, 'the id of the entity');
    const permitted = await this.streams.of({ access, streams: [stream], client });
    const answer = await this.erasure.run({ stream, entityId, permitted, actor, client });
    if (answer.pending) void reply.code(202);
    return answer;
  }
}
