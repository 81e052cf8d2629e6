import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  keyIdPattern,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { Answers, NoContent, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { IssuedKeyAnswer, KeyAnswer, keyAnswer } from './key-answers.js';
import { RotationInput } from './key-input.js';
import { KeyStore } from './key-store.js';
import { overlapMs } from './overlap.js';
import { requireUnlimited } from './require-unlimited.js';

const keyIdParam = { name: 'key_id', schema: { type: 'string', pattern: keyIdPattern.source } };

@ApiTags('keys')
@Controller('api/v1/keys/:key_id')
export class KeyController {
  constructor(private readonly keys: KeyStore) {}

  @Get()
  @RequireScope('admin')
  @ApiOperation({ summary: 'Get an API key, without its secret' })
  @ApiParam(keyIdParam)
  @Answers(KeyAnswer, { description: 'The key.' })
  @Problems('key_not_found', 'stream_forbidden')
  one(@Param('key_id') keyId: string, @Req() request: FastifyRequest): KeyAnswer {
    parseQuery(NoParameters, request.query);
    requireUnlimited(request);
    return keyAnswer(this.keys.get(keyId), Date.now() * 1000);
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Revoke an API key',
    description:
      'It is refused on this instance at once, on all others within a second, and for good. A key may revoke itself. ' +
      'Repeating it changes nothing.',
  })
  @ApiParam(keyIdParam)
  @NoContent('The key does not work any more.')
  @Problems('key_not_found', 'stream_forbidden', 'definition_conflict', 'log_unavailable')
  async revoke(@Param('key_id') keyId: string, @Req() request: FastifyRequest): Promise<void> {
    parseQuery(NoParameters, request.query);
    requireUnlimited(request);
    await this.keys.revoke(keyId, actorOf(request));
  }

  @Post('rotate')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Give an API key a new secret',
    description:
      'The key keeps its id and what it may do. Secrets that work now end after `overlap`, or when they were to end ' +
      'before; without it they end now. At most 4 work at the same time.',
  })
  @ApiParam(keyIdParam)
  @DescribeBody(RotationInput)
  @Answers(IssuedKeyAnswer, { description: 'The key with its new text, shown this once.' })
  @Problems(
    'invalid_json',
    'key_not_found',
    'key_inactive',
    'stream_forbidden',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
  )
  async rotate(
    @Param('key_id') keyId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyAnswer> {
    parseQuery(NoParameters, request.query);
    requireUnlimited(request);
    const { overlap } = hasBody(request) ? parseBody(RotationInput, request) : new RotationInput();
    const change = { overlapMs: overlapMs(overlap ?? '0s'), actor: actorOf(request) };
    const { definition, key } = await this.keys.rotate(keyId, change);
    void reply.header('cache-control', 'no-store');
    return { ...keyAnswer(definition, Date.now() * 1000), key };
  }
}

/** To rotate needs no body. */
function hasBody({ body }: FastifyRequest): boolean {
  return Buffer.isBuffer(body) && body.length > 0;
}
