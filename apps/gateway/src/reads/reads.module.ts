import { Global, Module } from '@nestjs/common';
import { ReadableStreams } from '../access/readable-streams.js';
import { GroupLag } from '../lag/group-lag.js';
import { BoundSources } from '../sources/bound-sources.js';
import { ConsistencyTokens } from '../consistency/consistency-tokens.js';

/**
 * Services for the reads of every resource: visible streams, consistency tokens, lag of consumer groups, bound sources.
 */
@Global()
@Module({
  providers: [ConsistencyTokens, ReadableStreams, GroupLag, BoundSources],
  exports: [ConsistencyTokens, ReadableStreams, GroupLag, BoundSources],
})
export class ReadsModule {}
