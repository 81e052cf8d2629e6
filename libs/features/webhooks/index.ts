export {
  attemptOutcomes,
  WebhookDeliverer,
  type DeliveryAttempt,
  type PendingWebhookDelivery,
} from './delivery.js';
export { WebhookAddressPolicy } from './webhook-address-policy.js';
export { WebhookSecretSettings, WebhookSettings } from './webhook-settings.js';
export { WebhookClient } from './webhook-client.js';
export { WebhookSecrets } from './secrets.js';
export { webhookUrlError } from './webhook-url.js';
