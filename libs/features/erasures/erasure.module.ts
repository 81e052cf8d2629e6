import { Module } from '@nestjs/common';
import { EntityEraser } from './entity-eraser.js';
import { ErasureController } from './erasure.controller.js';

/** Nest module of the route that erases an entity. */
@Module({ controllers: [ErasureController], providers: [EntityEraser] })
export class ErasureModule {}
