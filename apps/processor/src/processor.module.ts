import { Module } from '@nestjs/common';

/**
 * Root module of the processor. The port of the processor serves only health checks and metrics, which every app has.
 */
@Module({})
export class ProcessorModule {}
