import { routes } from '@batua/contract'
import type { AdminCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { networkOf } from '../../../http/rate-limit.ts'
import type { Serve } from '../../../http/serve.ts'
import type { LiveUpdates, Subscriber } from './live-updates.ts'

export function serveLiveUpdates(serve: Serve, live: LiveUpdates): void {
  serve(routes.getEventStream, ({ caller, headers, clientAddress }) => {
    const last = headers['last-event-id']
    return live.open(
      subscriberOf(caller, networkOf(clientAddress)),
      typeof last === 'string' ? last : undefined,
    )
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
