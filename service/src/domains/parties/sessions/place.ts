import type { Queryable } from '../../../db/database.ts'
import { networkOf } from '../../../http/rate-limit.ts'
import { newSecret, type Vault } from '../../../kernel/secrets.ts'
import type { Audience } from './audience.ts'
import { type CodeOwner, phoneLoginOf } from './code-owner.ts'
import { selectKnownPlaces } from './place-store.ts'

/** A random token that a browser keeps after a login. It opens nothing: it only tells that browser from strangers. */
const BROWSER_PREFIX = 'brw_live_'
/** So many networks and browsers are remembered of one phone. */
export const PLACES_KEPT = 20

/** Where a login comes from: what the caller sent. */
export interface Origin {
  readonly clientAddress: string
  /** The token that the browser kept; whatever else stands in the cookie counts as none. */
  readonly browserToken: string | undefined
}

export interface Place {
  readonly owner: CodeOwner
  /** The phone has logged in from this network or with this browser before. */
  readonly isKnown: boolean
  /** The network, as a place of this phone. */
  readonly network: Buffer
  /** The browser's token, when it is one of this phone's. */
  readonly browserToken: string | null
}

/**
 * The place of a login. A browser that is known has its codes, tries and pauses to itself, so that whoever shares its
 * network cannot use them up; everybody else has those of the network.
 */
export async function findPlace(
  db: Queryable,
  vault: Vault,
  audience: Audience,
  phone: string,
  { clientAddress, browserToken }: Origin,
): Promise<Place> {
  const login = phoneLoginOf(vault, audience, phone)
  // There are few addresses, so a plain digest would soon be undone.
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

/** What a place becomes with a login: the same browser token where it is known, else a new one, never a stranger's. */
export function placesToRemember(
  vault: Vault,
  audience: Audience,
  phone: string,
  place: Place,
): { readonly browserToken: string; readonly places: readonly Buffer[] } {
  const browserToken = place.browserToken ?? newSecret(BROWSER_PREFIX)
  return { browserToken, places: [place.network, browserIndex(vault, audience, phone, browserToken)] }
}

/** Bound to the phone and the login, so a token is worth nothing for another phone. */
function browserIndex(vault: Vault, audience: Audience, phone: string, token: string): Buffer {
  return vault.blindIndex(`${audience}/${phone}/${token}`, 'login_places.browser')
}
