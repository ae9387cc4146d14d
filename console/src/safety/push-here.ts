import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { clientFor } from '../api/api.tsx'

/** Notifications in this browser: what the browser knows of them, beside what the service does. */

/** `unsupported`: it has none. `denied`: the person has blocked them. */
export type PushPermission = 'unsupported' | 'denied' | 'possible'

export function pushPermission(): PushPermission {
  const isThere = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  if (!isThere) return 'unsupported'
  return Notification.permission === 'denied' ? 'denied' : 'possible'
}

/** What the service needs of this browser to send to it. */
export interface Endpoint {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** The subscription of this browser; null: it has none. */
export async function subscriptionHere(): Promise<Endpoint | null> {
  const found = await nativeSubscription()
  return found === null ? null : endpointOf(found)
}

async function nativeSubscription(): Promise<PushSubscription | null> {
  if (pushPermission() === 'unsupported') return null
  const registration = await navigator.serviceWorker.getRegistration('/console')
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Asks the person, and subscribes. null: the person said no. */
export async function subscribeHere(publicKey: string): Promise<Endpoint | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  try {
    return endpointOf(await pushManager.subscribe(options))
  } catch (error) {
    const old = await pushManager.getSubscription()
    if (old === null) throw error
    // It was made for another key, as of a service that stood at this address before.
    await old.unsubscribe()
    return endpointOf(await pushManager.subscribe(options))
  }
}

/** Ends it in the browser, so that its push service takes nothing more for it. */
export async function unsubscribeHere(): Promise<void> {
  localStorage.removeItem(KEPT_AS)
  await (await nativeSubscription())?.unsubscribe()
}

function endpointOf(subscription: PushSubscription): Endpoint {
  const { endpoint, keys } = subscription.toJSON()
  return { endpoint: endpoint ?? '', keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } }
}

const KEPT_AS = 'batua-push-subscription'

/** Remembers under which id the service knows this browser. */
export function rememberSubscription(id: string): void {
  localStorage.setItem(KEPT_AS, id)
}

export function rememberedSubscription(): string | null {
  return localStorage.getItem(KEPT_AS)
}

/**
 * At the start of the console: a browser that notifies this person becomes part of the session, so that the logout ends
 * it. A subscription that another person added, or that was removed from another browser, is ended here too.
 */
export function useKeepNotifications(): void {
  const queries = useQueryClient()
  useEffect(() => {
    // Nothing that a page needs: what fails is done at the next start.
    void keep(() => queries.invalidateQueries({ queryKey: ['owner'] })).catch(() => undefined)
  }, [queries])
}

async function keep(onChange: () => Promise<void>): Promise<void> {
  const here = await subscriptionHere()
  if (here === null) return
  const client = clientFor('owner')
  const { push_subscriptions: all } = await client.listPushSubscriptions()
  const known = all.find(({ subscription_id }) => subscription_id === rememberedSubscription())
  if (known === undefined) return unsubscribeHere()
  if (known.current) return
  await client.createPushSubscription({ ...here })
  await onChange()
}
