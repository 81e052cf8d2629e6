import { Module } from '@nestjs/common';

/** The materializer's port has health and metrics only; both come with every port. */
@Module({})
export class MaterializerModule {}
