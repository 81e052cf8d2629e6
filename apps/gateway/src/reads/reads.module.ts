import { Global, Module } from '@nestjs/common';
import { ReadableStreams } from '../access/readable-streams.js';
import { GroupLag } from '../lag/group-lag.js';
import { SourceBinder } from '../sources/source-binder.js';
import { ConsistencyTokens } from '../consistency/consistency-tokens.js';

/**
 * Services for the reads of every resource: visible streams, consistency tokens, lag of consumer groups, bound sources.
 */
@Global()
@Module({
  providers: [ConsistencyTokens, ReadableStreams, GroupLag, SourceBinder],
  exports: [ConsistencyTokens, ReadableStreams, GroupLag, SourceBinder],
})
export class ReadsModule {}
