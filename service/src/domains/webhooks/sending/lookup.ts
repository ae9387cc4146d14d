import { promises as dns, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { mayConnectTo } from '../../../kernel/public-address.ts'
import { NOT_PUBLIC, NotConnected, UNRESOLVED } from './unanswered.ts'

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2

/** As the machine resolves names: with its hosts file, which developers' own machines are found by. */
export function systemLookup(hostname: string): Promise<readonly LookupAddress[]> {
  return dns.lookup(hostname, { all: true })
}

/**
 * Asks DNS alone. `lookup` of the system keeps a thread of a few waiting that the whole process shares; whoever's name
 * server answers slowly would hold up everybody's names, the database's too.
 */
export function dnsLookup(
  resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES }),
): Lookup {
  return async hostname => {
    // By RFC 6761 these names are this machine, and DNS is not to be asked.
    if (/(^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return [...addressesOf(four, 4), ...addressesOf(six, 6)]
  }
}

function addressesOf(answer: PromiseSettledResult<readonly string[]>, family: number): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map(address => ({ address, family })) : []
}

/** Of each family so many addresses are tried: a name may have thousands, each of them somebody's machine. */
const MAX_TRIED = 4

function someOfEach(addresses: readonly LookupAddress[]): LookupAddress[] {
  return [4, 6].flatMap(family => addresses.filter(one => one.family === family).slice(0, MAX_TRIED))
}

/**
 * The lookup that a connection itself uses. A name of which one address may not be connected to is refused, whatever
 * its others are.
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
