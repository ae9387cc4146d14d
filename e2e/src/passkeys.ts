import { type BodyOf, type ResponseOf, type Route, routes, type SignedChallenge } from '@batua/contract'
import { type Api, type CallOf, type Headers, pathOf, type Reply } from './api.ts'
import { type Authenticator, newAuthenticator } from './authenticator.ts'

/** A person with a session and an enrolled passkey. */
export interface Keyholder {
  readonly headers: Headers
  readonly authenticator: Authenticator
  readonly passkeyId: string
}

/** Where browsers make passkeys for this service: by its name, not by its address. */
export function pageOf({ address }: Api): string {
  return address.replace('127.0.0.1', 'localhost')
}

/** Enrols a passkey in a session; with a step-up when there is another keyholder of the person. */
export async function enrol(api: Api, headers: Headers, confirmedBy?: Keyholder): Promise<Keyholder> {
  const authenticator = newAuthenticator(pageOf(api))
  const { challenge } = await api.ok(routes.getPasskeyOptions, { headers })
  const body = { name: 'Phone', response: authenticator.register(challenge) }
  const call = { headers, body }
  const { passkey_id } =
    confirmedBy === undefined
      ? await api.ok(routes.createPasskey, call)
      : await okConfirmed(api, confirmedBy, routes.createPasskey, call)
  return { headers, authenticator, passkeyId: passkey_id }
}

/** Lets a passkey sign the challenge for a call. */
export async function stepUp(
  api: Api,
  { headers, authenticator }: Keyholder,
  route: Route,
  call: CallOf<Route>,
): Promise<SignedChallenge> {
  const body = {
    action: `${route.method} ${pathOf(route, call)}`,
    ...(call.body === undefined ? {} : { body: call.body }),
  } as BodyOf<typeof routes.requestStepUp>
  const { challenge_id, options } = await api.ok(routes.requestStepUp, { headers, body })
  return { challenge_id, response: authenticator.sign(options.challenge) }
}

export function stepUpHeader(signed: object): Headers {
  return { 'x-step-up': Buffer.from(JSON.stringify(signed)).toString('base64') }
}

/** Sends a call with the confirmation of a passkey. */
export async function sendConfirmed(
  api: Api,
  holder: Keyholder,
  route: Route,
  call: CallOf<Route>,
): Promise<Reply> {
  const signed = await stepUp(api, holder, route, call)
  return api.send(route, { ...call, headers: { ...holder.headers, ...stepUpHeader(signed) } })
}

export async function okConfirmed<R extends Route>(
  api: Api,
  holder: Keyholder,
  route: R,
  call: CallOf<R>,
): Promise<ResponseOf<R>> {
  const signed = await stepUp(api, holder, route, call)
  return api.ok(route, { ...call, headers: { ...holder.headers, ...stepUpHeader(signed) } })
}
