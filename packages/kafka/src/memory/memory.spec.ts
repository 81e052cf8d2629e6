import { describeLogContract } from '../log.contract.js';
import { MemoryLog } from './memory-log.js';

describeLogContract('MemoryLog', () => new MemoryLog());
