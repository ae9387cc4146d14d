import { expect, describe as group, test } from 'vitest'
import { literalAddress, mayConnectTo } from './public-address.ts'

const PUBLIC = ['8.8.8.8', '1.1.1.1', '93.184.216.34', '172.15.255.255', '172.32.0.0', '100.63.255.255']
const PUBLIC_V6 = ['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2400:cb00::1']

const NOT_PUBLIC: readonly (readonly [string, ...string[]])[] = [
  ['this network', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['unique-local', 'fc00::1', 'fdff:ffff::1'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['special assignments', '192.0.0.1', '192.88.99.1', '192.52.193.1', '192.31.196.1', '192.175.48.1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['reserved', '240.0.0.1', '255.255.255.254', '4000::1', '8000::1', '0:1::1', 'fec0::1', '5f00::1'],
  ['discard and ORCHID', '100::1', '2001:10::1', '2001:20::1'],
  ['6to4 and Teredo', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:f7f7:f7f7'],
  ['translation for local use', '64:ff9b:1::808:808', '::ffff:0:808:808'],
]

const NEVER: readonly (readonly [string, ...string[]])[] = [
  ['link-local', '169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  ['link-local in IPv6 clothes', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::169.254.169.254'],
  [
    'link-local through translation',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
  ],
  ['link-local through tunnels', '2002:a9fe:a9fe::1', '2001:0:4136:e378:8000:63bf:5601:5601'],
  [
    'metadata of clouds',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd00:c1::a9fe:a9fe',
    'fd20:ce::254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ['metadata in IPv6 clothes', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16'],
  [
    'multicast and broadcast',
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    'ff02::1',
    '::ffff:224.0.0.1',
  ],
]

const NO_ADDRESS = [
  '',
  'localhost',
  'example.com',
  '127.1',
  '0x7f000001',
  '2130706433',
  '010.0.0.1',
  '8.8.8.8/8',
]

group('in live mode', () => {
  test.each([...PUBLIC, ...PUBLIC_V6])('%s may be connected to', address => {
    expect(mayConnectTo(address, 'live')).toBe(true)
  })

  test.each(PUBLIC)('%s may be connected to in its IPv6 forms of everyday networks', address => {
    expect(mayConnectTo(`::ffff:${address}`, 'live')).toBe(true)
    expect(mayConnectTo(`64:ff9b::${address}`, 'live')).toBe(true)
  })

  test.each([...NOT_PUBLIC, ...NEVER])(
    'addresses of the kind “%s” may not be connected to, such as %s',
    (_, ...addresses) => {
      expect(addresses.filter(address => mayConnectTo(address, 'live'))).toEqual([])
    },
  )

  test('an address that is not public is not made so by its IPv6 form', () => {
    const inner = NOT_PUBLIC.flatMap(([, ...addresses]) => addresses).filter(
      address => !address.includes(':'),
    )
    const forms = inner.flatMap(address => [`::ffff:${address}`, `::${address}`, `64:ff9b::${address}`])
    expect(forms.filter(address => mayConnectTo(address, 'live'))).toEqual([])
  })
})

group('in sandbox mode', () => {
  test.each(NEVER)('addresses of the kind “%s” may not be connected to, such as %s', (_, ...addresses) => {
    expect(addresses.filter(address => mayConnectTo(address, 'sandbox'))).toEqual([])
  })

  test.each([
    ...PUBLIC,
    ...PUBLIC_V6,
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '192.168.1.1',
    '172.17.0.1',
    'fd00::1',
  ])('%s may be connected to', address => {
    expect(mayConnectTo(address, 'sandbox')).toBe(true)
  })
})

test.each(NO_ADDRESS)('%j is no address, so nobody connects to it', text => {
  expect(mayConnectTo(text, 'live')).toBe(false)
  expect(mayConnectTo(text, 'sandbox')).toBe(false)
})

test.each([
  ['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '127.0.0.1.', '１２７.0.0.1'],
  ['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518'],
  ['0.0.0.0', '0', '0x0', '00000'],
  ['::1', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]'],
  ['::ffff:7f00:1', '[::ffff:127.0.0.1]', '[::FFFF:7F00:1]'],
])('%s is seen behind every way to write it', (address, ...hosts) => {
  for (const host of hosts) {
    const literal = literalAddress(new URL(`https://${host}:8443/hook`))
    expect(literal).toBe(address)
    expect(mayConnectTo(literal ?? '', 'live')).toBe(false)
  }
})

test.each(['localhost', 'example.com', '127.0.0.1.nip.io', '1.2.3.4.5.example'])('%s is a name', host => {
  expect(literalAddress(new URL(`https://${host}/`))).toBeNull()
})
