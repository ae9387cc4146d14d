import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Where clouds tell their machines secrets, beside link-local addresses; Azure's is in a public range. */
const CLOUD_METADATA: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd20:ce::254',
])

/** All of IPv6 that is given out for public use lies in here. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Never called, not even by a sandbox, which may run in a cloud. */
const NEVER_CALLED: readonly string[] = ['linkLocal', 'multicast', 'broadcast']

/**
 * Whether the service may connect to an address that a stranger chose: in live mode to public ones only, in sandbox to
 * developers' own machines too. Whatever is no IP address may not be connected to.
 */
export function mayConnectTo(text: string, mode: 'sandbox' | 'live'): boolean {
  if (!ipaddr.isValid(text) || isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  const reached = addressesReachedBy(address)
  if (reached.some(isNeverCalled)) return false
  return mode === 'sandbox' || isPublic(address)
}

/** The IP address that is a URL's host; null: its host is a name. The URL has normalised octal, hex and the like. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return isIP(host) === 0 ? null : host
}

function isNeverCalled(address: Address): boolean {
  return NEVER_CALLED.includes(address.range()) || CLOUD_METADATA.has(address.toString())
}

/** Of the forms that hold an IPv4 address only the two that are in use without a tunnel are looked into. */
function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  const range = address.range()
  if (isMapped(address) || isTranslated(address)) {
    const inner = embeddedIpv4(address)
    return inner !== null && inner.range() === 'unicast'
  }
  return range === 'unicast' && address.match(GLOBAL_UNICAST)
}

/** The address itself and the IPv4 address that a packet to it may end up at. */
function addressesReachedBy(address: Address): readonly Address[] {
  if (address instanceof ipaddr.IPv4) return [address]
  const inner = embeddedIpv4(address)
  return inner === null ? [address] : [address, inner]
}

/** ::ffff:0:0/96 and the older ::/96. */
function isMapped(address: ipaddr.IPv6): boolean {
  return address.range() === 'ipv4Mapped'
}

/** 64:ff9b::/96, what networks without IPv4 reach IPv4 hosts by (RFC 6052); 64:ff9b:1::/48 is for local use. */
function isTranslated(address: ipaddr.IPv6): boolean {
  return address.range() === 'rfc6052' && address.parts[2] === 0
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray()
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6052':
    case 'rfc6145':
      return new ipaddr.IPv4(bytes.slice(12))
    case '6to4':
      return new ipaddr.IPv4(bytes.slice(2, 6))
    case 'teredo':
      // The client's address is written inverted (RFC 4380).
      return new ipaddr.IPv4(bytes.slice(12).map(byte => byte ^ 0xff))
    default:
      return null
  }
}
