import { Controller, Delete, Get, Header, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  AlwaysAnswered,
  Body,
  InjectPrincipal,
  keyIdPattern,
  PathParameter,
  Principal,
  Query,
  RequireScope,
} from '#http';
import {
  pageByName,
  RequireAllStreams,
  ApiAnswer,
  NoContent,
  PageParameters,
  Problems,
  bodyProblems,
  changeProblems,
  createProblems,
} from '#gateway-kit';
import { IssuedKeyAnswer, KeyAnswer, keyAnswer, KeyList } from './key-answers.js';
import { KeyInput, RotationInput } from './key-input.js';
import { KeyStore } from './key-store.js';

/** Injects the key id from the path of the URL. */
function KeyId(): ParameterDecorator {
  return PathParameter({ name: 'key_id', schema: { type: 'string', pattern: keyIdPattern.source } });
}

/** Issues, lists, rotates and revokes API keys. The ids of the operations are those of earlier releases. */
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

  @Get(':key_id')
  @RequireScope('admin')
  @ApiOperation({ operationId: 'KeyController_one', summary: 'Get an API key, without its secret' })
  @ApiAnswer(KeyAnswer, { description: 'The key.' })
  @Problems('key_not_found', 'stream_forbidden')
  one(@KeyId() keyId: string): KeyAnswer {
    return keyAnswer(this.keys.get(keyId), Date.now() * 1000);
  }

  @Delete(':key_id')
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('admin')
  @ApiOperation({
    operationId: 'KeyController_revoke',
    summary: 'Revoke an API key',
    description:
      'This instance refuses the key at once, all others within a second. A revocation is final. A key ' +
      'may revoke itself. Repeating the request changes nothing.',
  })
  @NoContent('The key is revoked.')
  @Problems('key_not_found', 'stream_forbidden', changeProblems)
  async revoke(@KeyId() keyId: string, @InjectPrincipal() { actor }: Principal): Promise<void> {
    await this.keys.revoke(keyId, actor);
  }

  @Post(':key_id/rotate')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('admin')
  @ApiOperation({
    operationId: 'KeyController_rotate',
    summary: 'Give an API key a new secret',
    description:
      'The key keeps its id and its permissions. Its current secrets end after `overlap`, or at their ' +
      'earlier end; without `overlap` they end now. At most 4 secrets are valid at the same time.',
  })
  @ApiAnswer(IssuedKeyAnswer, { description: 'The key with its new text, which only this answer contains.' })
  @Problems(bodyProblems, 'key_not_found', 'key_inactive', 'stream_forbidden', createProblems)
  @Header('cache-control', 'no-store')
  async rotate(
    @KeyId() keyId: string,
    @Body({ mayBeEmpty: true }) { overlap }: RotationInput,
    @InjectPrincipal() { actor }: Principal,
  ): Promise<IssuedKeyAnswer> {
    const { definition, key } = await this.keys.rotate(keyId, { overlapMs: overlap ?? 0, actor });
    return { ...keyAnswer(definition, Date.now() * 1000), key };
  }
}
