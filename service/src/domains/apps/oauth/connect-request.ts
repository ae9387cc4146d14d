import { APP_SCOPES, type AppScope, type ConnectRequestRecord } from '@batua/contract'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Provider } from 'oidc-provider'
import { AppError } from '../../../kernel/app-error.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { REQUEST_S } from './endpoints.ts'

/** A client's request that waits for its owner, in the browser that the client sent here. */
export interface ConnectRequest {
  readonly id: string
  readonly clientId: string
  readonly name: string
  readonly redirectUri: string
  readonly scopes: readonly AppScope[]
  readonly expiresAt: Date
}

/** The cookie that binds a request to the browser: without it another person's browser could answer it. */
const COOKIE = 'service_connect'

const pathOf = (requestId: string) => `/v1/connect/${requestId}`

function proofOf(vault: Vault, requestId: string): string {
  return vault.blindIndex(requestId, 'connect requests').toString('base64url')
}

export function connectCookie(vault: Vault, requestId: string, secure: boolean): string {
  return stringifySetCookie({
    ...{ name: COOKIE, value: proofOf(vault, requestId), path: pathOf(requestId) },
    ...{ httpOnly: true, sameSite: 'lax', secure, maxAge: REQUEST_S },
  })
}

/** Refuses a browser to which the client did not send its request. It learns nothing about the request. */
export function requireSameBrowser(vault: Vault, requestId: string, cookies: string | undefined): void {
  const given = cookies === undefined ? undefined : parseCookie(cookies)[COOKIE]
  const proof = Buffer.from(proofOf(vault, requestId))
  if (given === undefined || !sameHash(Buffer.from(given), proof)) throw noRequest()
}

export function noRequest(): AppError {
  return new AppError(
    'not_found',
    'This request has ended, was answered, or belongs to another browser; start again in the app',
  )
}

/** The request, if it still waits. */
export async function requireRequest(provider: Provider, requestId: string): Promise<ConnectRequest> {
  const found = await provider.Interaction.find(requestId)
  if (found === undefined || found.result !== undefined) throw noRequest()
  const { client_id: clientId, redirect_uri: redirectUri, scope } = found.params
  const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined
  if (client === undefined || typeof redirectUri !== 'string') throw noRequest()
  const asked = typeof scope === 'string' ? scope.split(' ') : []
  const { host } = new URL(redirectUri)
  return {
    id: requestId,
    clientId: client.clientId,
    name: client.clientName ?? hostOf(client.clientId) ?? host,
    redirectUri,
    scopes: APP_SCOPES.filter(each => asked.includes(each)),
    expiresAt: new Date(found.exp * 1000),
  }
}

/** The host that publishes a client; null for one that has registered itself. */
function hostOf(clientId: string): string | null {
  const url = URL.parse(clientId)
  return url === null ? null : url.host
}

export function shownRequest(request: ConnectRequest): ConnectRequestRecord {
  const redirect = new URL(request.redirectUri)
  return {
    name: request.name,
    client_id: request.clientId,
    client_host: hostOf(request.clientId),
    // A scheme of its own has no host that says anything.
    redirect_host: /^https?:$/.test(redirect.protocol) ? redirect.host : redirect.protocol,
    scopes: [...request.scopes],
    expires_at: request.expiresAt.toISOString(),
  }
}

/** Answers a request, and returns where the browser goes on, to give the client its response. */
export async function answerRequest(
  provider: Provider,
  requestId: string,
  result: NonNullable<InstanceType<Provider['Interaction']>['result']>,
): Promise<string> {
  const found = await provider.Interaction.find(requestId)
  if (found === undefined) throw noRequest()
  found.result = result
  await found.save(Math.max(1, found.exp - Math.floor(Date.now() / 1000)))
  return found.returnTo
}
