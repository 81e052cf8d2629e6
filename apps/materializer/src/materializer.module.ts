import { Module } from '@nestjs/common';

/**
 * Root module of the materializer. The port of the materializer serves only health checks and metrics, which every app
 * has.
 */
@Module({})
export class MaterializerModule {}
