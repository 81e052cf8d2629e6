import { Module } from '@nestjs/common';
import { WebhookAddressPolicy, WebhookSettings } from '#features/pipelines/webhooks';
import { VisiblePipelines } from './visible-pipelines.js';

/** Services of pipelines that other features use, and the addresses to which webhooks may deliver. */
@Module({
  providers: [
    VisiblePipelines,
    {
      provide: WebhookAddressPolicy,
      inject: [WebhookSettings],
      useFactory: (settings: WebhookSettings) => new WebhookAddressPolicy(settings.WEBHOOK_ALLOWED_NETWORKS),
    },
  ],
  exports: [VisiblePipelines, WebhookAddressPolicy],
})
export class PipelineServicesModule {}
