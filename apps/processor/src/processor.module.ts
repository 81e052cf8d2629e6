import { Module } from '@nestjs/common';

/** Root module of the processor. Its port serves only health checks and metrics, which every app has. */
@Module({})
export class ProcessorModule {}
