import { Module } from '@nestjs/common';
import { OtlpController } from './otlp.controller.js';

@Module({ controllers: [OtlpController] })
export class OtlpModule {}
