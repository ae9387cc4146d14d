import type { Queryable } from '../../../db/database.ts'
import { networkOf } from '../../../http/rate-limit.ts'
import { newSecret, type Vault } from '../../../kernel/secrets.ts'
import type { Audience } from './phone-login.ts'
import { type CodeOwner, phoneLoginOf } from './phone-login.ts'
import { selectKnownPlaces } from './place-store.ts'

/**
 * A random token that a browser keeps after a login. It gives no access: it only marks the browser as a known place.
 */
const BROWSER_PREFIX = 'brw_live_'
/** The most networks and browsers stored for one phone. */
export const PLACES_KEPT = 20

/** The origin of a login request: its address and its browser token. */
export interface Origin {
  readonly clientAddress: string
  /** The browser token from the cookie; any other value counts as none. */
  readonly browserToken: string | undefined
}

export interface Place {
  readonly owner: CodeOwner
  /** Whether the phone has logged in from this network or with this browser before. */
  readonly isKnown: boolean
  /** The network, as a place of this phone. */
  readonly network: Buffer
  /** The browser token, if it is one of this phone's. */
  readonly browserToken: string | null
}

/**
 * The place of a login. A known browser has codes, tries and pauses of its own, so that others on its network cannot
 * use them up; all other browsers share those of the network.
 */
export async function findPlace(
  db: Queryable,
  vault: Vault,
  audience: Audience,
  phone: string,
  { clientAddress, browserToken }: Origin,
): Promise<Place> {
  const login = phoneLoginOf(vault, audience, phone)
  // A keyed digest, because a plain digest of an address could be reversed quickly.
  const network = vault.blindIndex(networkOf(clientAddress), 'login_codes.address')
  const isToken = browserToken?.startsWith(BROWSER_PREFIX) === true
  const browser = browserIndex(vault, audience, phone, browserToken ?? '')
  const known = await selectKnownPlaces(db, login, [network, browser])
  const isBrowserKnown = isToken && known.some(place => place.equals(browser))
  return {
    owner: { ...login, addressIndex: isBrowserKnown ? browser : network },
    isKnown: isBrowserKnown || known.some(place => place.equals(network)),
    network,
    browserToken: isBrowserKnown ? browserToken : null,
  }
}

/** The places to store after a login: a known browser keeps its token, any other browser gets a new one. */
export function placesToRemember(
  vault: Vault,
  audience: Audience,
  phone: string,
  place: Place,
): { readonly browserToken: string; readonly places: readonly Buffer[] } {
  const browserToken = place.browserToken ?? newSecret(BROWSER_PREFIX)
  return { browserToken, places: [place.network, browserIndex(vault, audience, phone, browserToken)] }
}

/** Bound to the phone and the kind of login, so that a token is not valid for another phone. */
function browserIndex(vault: Vault, audience: Audience, phone: string, token: string): Buffer {
  return vault.blindIndex(`${audience}/${phone}/${token}`, 'login_places.browser')
}
