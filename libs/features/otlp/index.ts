import { Module } from '@nestjs/common';
import type { Feature } from '#app';
import { OtlpController } from './otlp.controller.js';

@Module({ controllers: [OtlpController] })
class OtlpModule {}

/** Logs of OpenTelemetry, which become events. */
export const otlp: Feature = { name: 'otlp', writing: () => OtlpModule };
