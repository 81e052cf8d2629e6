import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  DescribeQuery,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { IssuedKeyAnswer, keyAnswer, KeyList } from './key-answers.js';
import { KeyInput } from './key-input.js';
import { KeyListParameters } from './key-parameters.js';
import { KeyStore } from './key-store.js';
import { requireUnlimited } from './require-unlimited.js';

@ApiTags('keys')
@Controller('api/v1/keys')
export class KeysController {
  constructor(private readonly keys: KeyStore) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Issue an API key',
    description:
      'Its text is in the answer and nowhere else: only its SHA-256 is kept. It works on this instance at once, on all ' +
      'others within a second. Limits are counted by each instance for itself; with `RateLimit-Policy` and `RateLimit` ' +
      '(draft-ietf-httpapi-ratelimit-headers) answers say what is left, and what is over a limit is a 429 with ' +
      '`Retry-After`. Keys that no longer work are listed for 7 days at least.',
  })
  @DescribeBody(KeyInput)
  @Answers(IssuedKeyAnswer, { status: 201, description: 'The key, shown this once.' })
  @Problems(
    'invalid_json',
    'stream_forbidden',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
  )
  async issue(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyAnswer> {
    parseQuery(NoParameters, request.query);
    requireUnlimited(request);
    const { definition, key } = await this.keys.issue(parseBody(KeyInput, request), actorOf(request));
    void reply
      .code(201)
      .headers({ location: `/api/v1/keys/${definition.key_id}`, 'cache-control': 'no-store' });
    return { ...keyAnswer(definition, Date.now() * 1000), key };
  }

  @Get()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'List the API keys that were issued',
    description: 'Sorted by id, never with a secret. Keys that the configuration gives are not among them.',
  })
  @DescribeQuery(KeyListParameters)
  @Answers(KeyList, { description: 'A page of keys; `total` counts all.' })
  @Problems('invalid_cursor', 'stream_forbidden')
  list(@Req() request: FastifyRequest): KeyList {
    const { limit, cursor } = parseQuery(KeyListParameters, request.query);
    requireUnlimited(request);
    const all = this.keys.all();
    const page = pageByName(all, ({ key_id }) => key_id, { limit, cursor, boundTo: 'keys' });
    const now = Date.now() * 1000;
    return {
      keys: page.items.map((key) => keyAnswer(key, now)),
      total: all.length,
      ...listEnd(page.nextCursor),
    };
  }
}
