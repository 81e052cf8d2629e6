import type { Feature } from '#app';
import { OtlpModule } from './otlp.module.js';

/** Logs of OpenTelemetry, which become events. */
export const otlp: Feature = { name: 'otlp', writing: () => OtlpModule };
