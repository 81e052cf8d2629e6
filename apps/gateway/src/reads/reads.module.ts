import { Global, Module } from '@nestjs/common';
import { ReadableStreams } from '../access/readable-streams.js';
import { GroupLag } from '../lag/group-lag.js';
import { BoundSources } from '../sources/bound-sources.js';
import { ConsistencyTokens } from '../consistency/consistency-tokens.js';

/** What every resource reads with: which streams may be seen, what is waited for, how far consumer groups are. */
@Global()
@Module({
  providers: [ConsistencyTokens, ReadableStreams, GroupLag, BoundSources],
  exports: [ConsistencyTokens, ReadableStreams, GroupLag, BoundSources],
})
export class ReadsModule {}
