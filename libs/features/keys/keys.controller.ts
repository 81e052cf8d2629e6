import { Controller, Get, Header, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AlwaysAnswered, Body, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import {
  pageByName,
  RequireAllStreams,
  ApiAnswer,
  Problems,
  bodyProblems,
  createProblems,
  PageParameters,
} from '#gateway-kit';
import { IssuedKeyAnswer, keyAnswer, KeyList } from './key-answers.js';
import { KeyInput } from './key-input.js';
import { KeyStore } from './key-store.js';

/** `GET` and `POST /api/v1/keys`: lists and issues API keys. */
@ApiTags('keys')
@RequireAllStreams('manage keys')
@Controller('api/v1/keys')
export class KeysController {
  constructor(private readonly keys: KeyStore) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Issue an API key',
    description:
      'Only this answer contains the text of the key, because only its SHA-256 is stored. The key is ' +
      'valid on this instance at once, on all others within a second. Each instance counts limits ' +
      'separately. The headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) ' +
      'of answers contain the remaining quota; a request over a limit is a 429 with `Retry-After`. Keys ' +
      'that are no longer valid are listed for at least 7 days.',
  })
  @ApiAnswer(IssuedKeyAnswer, {
    status: 201,
    description: 'The key with its text, which only this answer contains.',
  })
  @Problems(bodyProblems, 'stream_forbidden', createProblems)
  @Header('cache-control', 'no-store')
  async issue(
    @Body() input: KeyInput,
    @InjectPrincipal() { actor }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyAnswer> {
    const { definition, key } = await this.keys.issue(input, actor);
    void reply.header('location', `/api/v1/keys/${definition.key_id}`);
    return { ...keyAnswer(definition, Date.now() * 1000), key };
  }

  @Get()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'List the API keys that were issued',
    description: 'Sorted by id, without secrets. Keys from the configuration are not listed.',
  })
  @ApiAnswer(KeyList, { description: 'A page of keys; `total` counts all.' })
  @Problems('invalid_cursor', 'stream_forbidden')
  list(@Query() { limit, cursor }: PageParameters): KeyList {
    const all = this.keys.all();
    const { items, end } = pageByName(all, ({ key_id }) => key_id, { limit, cursor, boundTo: 'keys' });
    const now = Date.now() * 1000;
    return { keys: items.map((key) => keyAnswer(key, now)), ...end };
  }
}
