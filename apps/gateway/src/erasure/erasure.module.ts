import { Module } from '@nestjs/common';
import { EntityErasure } from './entity-erasure.js';
import { ErasureController } from './erasure.controller.js';

/** Nest module of the route that erases an entity. */
@Module({ controllers: [ErasureController], providers: [EntityErasure] })
export class ErasureModule {}
