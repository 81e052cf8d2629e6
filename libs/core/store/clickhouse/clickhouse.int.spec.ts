import { describeStore } from '../store.contract.js';
import { openTestStore } from './test-store.js';

describeStore('ClickHouse', () => openTestStore());
