import { isRetriableLogError } from '#kafka';
import { isRetryableStoreError } from '#store';

/** Kafka, for `untilReachable`. */
export const kafka = { name: 'Kafka', mayReturn: isRetriableLogError };
/** ClickHouse, for `untilReachable`. */
export const clickHouse = { name: 'ClickHouse', mayReturn: isRetryableStoreError };
