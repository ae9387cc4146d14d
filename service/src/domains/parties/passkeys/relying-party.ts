import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { isOwnOrigin } from '../../../http/admission/same-origin.ts'
import { AppError } from '../../../kernel/app-error.ts'

/** The host for which passkeys are made (WebAuthn, section 4). */
export interface RelyingParty {
  readonly id: string
  /** The pages on which a passkey may be used: the public address, and the host that the request was sent to. */
  origins(headers: IncomingHttpHeaders): string[]
}

/** The host of the public address; null: browsers make no passkeys for an IP address, nor without https elsewhere than at localhost. */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  const base = new URL(baseUrl)
  const id = base.hostname
  if (isIP(id.replace(/^\[(.*)\]$/, '$1')) !== 0) return null
  if (base.protocol === 'http:' && !/^(.*\.)?localhost$/.test(id)) return null
  return {
    id,
    origins({ origin, host }) {
      const isOther = origin !== undefined && URL.parse(origin)?.hostname === id
      return isOther && isOwnOrigin(origin, base, host) ? [base.origin, origin] : [base.origin]
    },
  }
}

export function requireRelyingParty(party: RelyingParty | null): RelyingParty {
  if (party !== null) return party
  throw new AppError(
    'conflict',
    'Browsers make passkeys only for a host name by https, or at localhost, and BASE_URL is neither; set it to the https address at which the service is opened',
  )
}
