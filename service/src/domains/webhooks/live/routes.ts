import { routes } from '@batua/contract'
import { networkOf } from '../../../http/admission/rate-limit.ts'
import type { AdminCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import type { LiveUpdates, Subscriber } from './live-updates.ts'

export function serveLiveUpdates(serve: Serve, live: LiveUpdates): void {
  serve(routes.getEventStream, async ({ caller, headers, clientAddress }) => {
    const last = headers['last-event-id']
    const subscriber = subscriberOf(caller, networkOf(clientAddress))
    const body = await live.open(subscriber, typeof last === 'string' ? last : undefined)
    return { type: 'text/event-stream' as const, body }
  })
}

function subscriberOf(caller: OwnerCaller | PlatformCaller | AdminCaller, network: string): Subscriber {
  switch (caller.kind) {
    case 'owner':
      return { audience: { kind: 'owner', ownerIds: caller.ownerIds }, sessionId: caller.sessionId, network }
    case 'platform':
      return {
        audience: { kind: 'platform', platformId: caller.platformId },
        sessionId: caller.sessionId ?? null,
        network,
      }
    case 'admin':
      return { audience: { kind: 'admin' }, sessionId: caller.sessionId, network }
  }
}
