import { promises as dns, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { NOT_PUBLIC, NotConnected, UNRESOLVED } from './no-response.ts'
import { mayConnectTo } from './public-address.ts'

/** Resolves a name to all its addresses. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2

/** Resolves names as the operating system does, with its hosts file; developers use it for their own machines. */
export function systemLookup(hostname: string): Promise<readonly LookupAddress[]> {
  return dns.lookup(hostname, { all: true })
}

/**
 * Resolves names by DNS alone. The system's `lookup` occupies one of a few threads that the whole process shares: one
 * slow name server would delay all other lookups, the database's too.
 */
export function dnsLookup(
  resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES }),
): Lookup {
  return async hostname => {
    // By RFC 6761 these names are loopback addresses, and DNS must not be queried for them.
    if (/(^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return [...addressesOf(four, 4), ...addressesOf(six, 6)]
  }
}

function addressesOf(response: PromiseSettledResult<readonly string[]>, family: number): LookupAddress[] {
  return response.status === 'fulfilled' ? response.value.map(address => ({ address, family })) : []
}

/** How many addresses of each family are tried: a name may have thousands, of machines that are not the receiver's. */
const MAX_TRIED = 4

function someOfEach(addresses: readonly LookupAddress[]): LookupAddress[] {
  return [4, 6].flatMap(family => addresses.filter(one => one.family === family).slice(0, MAX_TRIED))
}

/**
 * The lookup that a connection itself uses. A name is refused if any of its addresses is not allowed.
 */
export function guardedLookup(lookup: Lookup, mode: 'sandbox' | 'live'): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      addresses => {
        const [first] = addresses
        if (first === undefined) return callback(new NotConnected(UNRESOLVED), [])
        const isAllowed = addresses.every(({ address }) => mayConnectTo(address, mode))
        if (!isAllowed) return callback(new NotConnected(NOT_PUBLIC), [])
        if (options.all === true) return callback(null, someOfEach(addresses))
        return callback(null, first.address, first.family)
      },
      () => callback(new NotConnected(UNRESOLVED), []),
    )
  }
}
