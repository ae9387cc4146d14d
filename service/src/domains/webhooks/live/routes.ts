import { routes } from '@batua/contract'
import type { AdminCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import type { LiveUpdates, Subscriber } from './live-updates.ts'

export function serveLiveUpdates(serve: Serve, live: LiveUpdates): void {
  serve(routes.getEventStream, ({ caller, headers }) => {
    const last = headers['last-event-id']
    return live.open(subscriberOf(caller), typeof last === 'string' ? last : undefined)
  })
}

function subscriberOf(caller: OwnerCaller | PlatformCaller | AdminCaller): Subscriber {
  switch (caller.kind) {
    case 'owner':
      return { audience: { kind: 'owner', ownerIds: caller.ownerIds }, sessionId: caller.sessionId }
    case 'platform':
      return { audience: { kind: 'platform', platformId: caller.platformId }, sessionId: null }
    case 'admin':
      return { audience: { kind: 'admin' }, sessionId: caller.sessionId }
  }
}
