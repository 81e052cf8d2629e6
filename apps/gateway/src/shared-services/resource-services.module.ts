import { Global, Module } from '@nestjs/common';
import { StreamReadAuthorizer } from '../access/stream-read-authorizer.js';
import { GroupLagReader } from '../lag/group-lag-reader.js';
import { NewGenerationOrJobFactory } from '../sources/new-generation-or-job-factory.js';
import { ConsistencyTokenWaiter } from '../consistency/consistency-tokens.js';

/**
 * Global Nest module of services that several resources use: visible streams, waiting for positions, lag of consumer
 * groups, and binding of stream names to ids.
 */
@Global()
@Module({
  providers: [ConsistencyTokenWaiter, StreamReadAuthorizer, GroupLagReader, NewGenerationOrJobFactory],
  exports: [ConsistencyTokenWaiter, StreamReadAuthorizer, GroupLagReader, NewGenerationOrJobFactory],
})
export class ResourceServicesModule {}
