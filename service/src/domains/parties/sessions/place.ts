import type { Queryable } from '../../../db/database.ts'
import { networkOf } from '../../../http/admission/rate-limit.ts'
import type { PhoneSessionKind } from '../../../http/admission/session-cookies.ts'
import { newSecret, type Vault } from '../../../kernel/secrets.ts'
import { type PhoneLogin, phoneLoginOf } from './phone-login.ts'
import { selectKnownPlaces } from './place-store.ts'

/**
 * A random token that identifies a browser. It gives no access: it only separates the browser from others of its
 * network, and after a login it marks it as a known place.
 */
const BROWSER_PREFIX = 'brw_live_'
/** The most networks and browsers stored for one phone. */
export const PLACES_KEPT = 20

export function newBrowserToken(): string {
  return newSecret(BROWSER_PREFIX)
}

export function isBrowserToken(token: string | undefined): token is string {
  return token?.startsWith(BROWSER_PREFIX) === true
}

/** The origin of a login request: its address and its browser token. */
export interface Origin {
  readonly clientAddress: string
  /** The browser token from the cookie; any other value counts as none. */
  readonly browserToken: string | undefined
}

/** Where a login comes from. All places are stored as digests that are bound to the phone. */
export interface Place {
  readonly login: PhoneLogin
  readonly network: Buffer
  /** The browser; null if the request has no browser token. */
  readonly browser: Buffer | null
  /** The browser, or else the network, if the phone has logged in from there; null: an unknown place. */
  readonly known: Buffer | null
  /** The browser token, if the phone has logged in with it. */
  readonly knownToken: string | null
}

/**
 * The place of a login. A browser has codes, tries and pauses of its own, so that others on its network cannot use them
 * up; callers without a token share those of the network.
 */
export async function findPlace(
  db: Queryable,
  vault: Vault,
  audience: PhoneSessionKind,
  phone: string,
  { clientAddress, browserToken }: Origin,
): Promise<Place> {
  const login = phoneLoginOf(vault, audience, phone)
  // A keyed digest, because a plain digest of an address could be reversed quickly.
  const network = vault.blindIndex(networkOf(clientAddress), 'login_codes.address')
  const token = isBrowserToken(browserToken) ? browserToken : null
  const browser = browserIndex(vault, audience, phone, token ?? '')
  const places = await selectKnownPlaces(db, login, [network, browser])
  const isBrowserKnown = token !== null && places.some(place => place.equals(browser))
  const isNetworkKnown = places.some(place => place.equals(network))
  return {
    login,
    network,
    browser: token === null ? null : browser,
    known: isBrowserKnown ? browser : isNetworkKnown ? network : null,
    knownToken: isBrowserKnown ? token : null,
  }
}

/** The places to store after a login: a known browser keeps its token, any other browser gets a new one. */
export function placesToRemember(
  vault: Vault,
  audience: PhoneSessionKind,
  phone: string,
  { network, knownToken }: Place,
): { readonly browserToken: string; readonly places: readonly Buffer[] } {
  const browserToken = knownToken ?? newBrowserToken()
  return { browserToken, places: [network, browserIndex(vault, audience, phone, browserToken)] }
}

/** Bound to the phone and the kind of login, so that a token is not valid for another phone. */
function browserIndex(vault: Vault, audience: PhoneSessionKind, phone: string, token: string): Buffer {
  return vault.blindIndex(`${audience}/${phone}/${token}`, 'login_places.browser')
}
