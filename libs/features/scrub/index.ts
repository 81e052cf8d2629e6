import { Module } from '@nestjs/common';
import type { Feature } from '#app';
import { ScrubController } from './scrub.controller.js';

/** Nest module of the routes of the scrub. */
@Module({ controllers: [ScrubController] })
class ScrubModule {}

/** Requests to compare the store with the log. The materializer runs the scrub. */
export const scrub: Feature = { name: 'scrub', gateway: ScrubModule };
