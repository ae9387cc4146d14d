import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Metadata services of clouds outside the link-local range, which give secrets to machines; Azure's is public. */
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

/** The range of all public IPv6 addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Never connected to, not even by a sandbox, which may run in a cloud. */
const NEVER_CALLED: readonly string[] = ['linkLocal', 'multicast', 'broadcast']

/**
 * Whether the service may connect to an address that a caller chose: in live mode only to public ones, in sandbox mode
 * also to developers' own machines. A text that is not an IP address is refused.
 */
export function mayConnectTo(text: string, mode: 'sandbox' | 'live'): boolean {
  if (!ipaddr.isValid(text) || isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  const reached = addressesReachedBy(address)
  if (reached.some(isNeverCalled)) return false
  return mode === 'sandbox' || isPublic(address)
}

/** The IP address in a URL's host; null: the host is a name. The URL parser has normalised octal and hex forms. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return isIP(host) === 0 ? null : host
}

function isNeverCalled(address: Address): boolean {
  return NEVER_CALLED.includes(address.range()) || CLOUD_METADATA.has(address.toString())
}

/** Of the IPv6 forms that contain an IPv4 address, these two are used without a tunnel. */
function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  const range = address.range()
  if (isMapped(address) || isTranslated(address)) {
    const inner = embeddedIpv4(address)
    return inner !== null && inner.range() === 'unicast'
  }
  return range === 'unicast' && address.match(GLOBAL_UNICAST)
}

/** The address and the IPv4 addresses that a packet to it may reach. */
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
