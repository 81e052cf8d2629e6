import { Module } from '@nestjs/common';
import { KeyController } from './key.controller.js';
import { KeyStore } from './key-store.js';
import { KeysController } from './keys.controller.js';

@Module({ controllers: [KeysController, KeyController], providers: [KeyStore] })
export class KeysModule {}
