import { AreNetworks, ArePorts, FollowsRule, FromText, Secret } from '#api';
import { webhookSecretsError } from './secrets.js';

/** Settings of the addresses of webhooks. The gateway and the processor need the same value. */
export class WebhookSettings {
  /**
   * Private addresses or networks (CIDR) to which webhooks may be sent. Webhooks to these addresses may use HTTP
   * without TLS.
   */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];

  /** Ports in these networks to which no webhook is sent, such as those of Tributary itself. */
  @FromText('list') @ArePorts() WEBHOOK_FORBIDDEN_PORTS: string[] = [];
}

/** Settings of the secrets of webhooks. */
export class WebhookSecretSettings {
  /**
   * Secrets that sign webhook requests, as JSON: `{"shop":{"value":"whsec_…","hosts":["hooks.example.com"]}}`. A
   * pipeline definition refers to a secret by its name in `secret_ref`. A secret signs only requests to its hosts.
   */
  @Secret()
  @FollowsRule('areWebhookSecrets', (value) => webhookSecretsError(value as string))
  WEBHOOK_SECRETS = '';
}
