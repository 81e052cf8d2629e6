import { Controller, Delete, Get, Header, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AlwaysAnswered,
  Body,
  InjectPrincipal,
  keyIdPattern,
  PathParameter,
  Principal,
  RequireScope,
} from '#http';
import {
  RequireAllStreams,
  ApiAnswer,
  NoContent,
  Problems,
  bodyProblems,
  changeProblems,
  createProblems,
} from '#gateway-kit';
import { IssuedKeyAnswer, KeyAnswer, keyAnswer } from './key-answers.js';
import { RotationInput } from './key-input.js';
import { KeyStore } from './key-store.js';

/** Injects the key id from the path of the URL. */
function KeyId(): ParameterDecorator {
  return PathParameter({ name: 'key_id', schema: { type: 'string', pattern: keyIdPattern.source } });
}

/** Routes of one API key: reads, revokes and rotates it. */
@ApiTags('keys')
@RequireAllStreams('manage keys')
@Controller('api/v1/keys/:key_id')
export class KeyController {
  constructor(private readonly keys: KeyStore) {}

  @Get()
  @RequireScope('admin')
  @ApiOperation({ summary: 'Get an API key, without its secret' })
  @ApiAnswer(KeyAnswer, { description: 'The key.' })
  @Problems('key_not_found', 'stream_forbidden')
  one(@KeyId() keyId: string): KeyAnswer {
    return keyAnswer(this.keys.get(keyId), Date.now() * 1000);
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('admin')
  @ApiOperation({
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

  @Post('rotate')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('admin')
  @ApiOperation({
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
