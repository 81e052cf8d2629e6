import { Global, Module } from '@nestjs/common';
import { ReadableStreams } from '../access/readable-streams.js';
import { GroupLag } from '../lag/group-lag.js';
import { SourceBinder } from '../sources/source-binder.js';
import { ConsistencyTokenWaiter } from '../consistency/consistency-tokens.js';

/**
 * Global Nest module of services that several resources use: visible streams, waiting for positions, lag of consumer
 * groups, and binding of stream names to ids.
 */
@Global()
@Module({
  providers: [ConsistencyTokenWaiter, ReadableStreams, GroupLag, SourceBinder],
  exports: [ConsistencyTokenWaiter, ReadableStreams, GroupLag, SourceBinder],
})
export class ReadsModule {}
