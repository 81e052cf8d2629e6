import { Module } from '@nestjs/common';

/** The processor's port has health and metrics only; both come with every port. */
@Module({})
export class ProcessorModule {}
