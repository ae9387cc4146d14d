import { receiveGatewayNotice } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { type GatewayWebhooksContext, handleGatewayWebhook } from './handle-webhook.ts'

export function serveGatewayWebhooks(serve: Serve, context: GatewayWebhooksContext): void {
  serve(
    receiveGatewayNotice,
    async call => {
      const rawBody = call.rawBody ?? Buffer.alloc(0)
      await handleGatewayWebhook(context, call.params.gateway, rawBody, call.headers)
      return { received: true }
    },
    // A gateway sends as many webhooks as there are payments, so only those that fail verification count.
    { countWrongOn: 'gatewayWebhooks' },
  )
}
