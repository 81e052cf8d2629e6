import { Module } from '@nestjs/common';
import { KeyStore } from './key-store.js';
import { KeysController } from './keys.controller.js';

/** Nest module of the routes that manage API keys. */
@Module({ controllers: [KeysController], providers: [KeyStore] })
export class KeysModule {}
