import { expect, test } from 'vitest'
import { dnsLookup, systemLookup } from './lookup.ts'
import { startNameServer } from './testing/name-server.ts'

const FOUR = [93, 184, 216, 34]
const SIX = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]

test('a lookup returns the IPv4 and IPv6 addresses of a name', async () => {
  const { resolver } = await startNameServer({ 'both.test': { a: [FOUR, [127, 0, 0, 1]], aaaa: [SIX] } })
  expect(await dnsLookup(resolver)('both.test')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
    { address: '2001:db8::7', family: 6 },
  ])
})

test('a lookup succeeds for a name with addresses of one family only', async () => {
  const { resolver } = await startNameServer({ 'four.test': { a: [FOUR] }, 'six.test': { aaaa: [SIX] } })
  expect(await dnsLookup(resolver)('four.test')).toEqual([{ address: '93.184.216.34', family: 4 }])
  expect(await dnsLookup(resolver)('six.test')).toEqual([{ address: '2001:db8::7', family: 6 }])
})

test.each([
  ['empty.test', 'has no addresses'],
  ['unknown.test', 'does not exist'],
  ['silent.test', 'is never answered for'],
])('a lookup of %s returns no address: it %s', async name => {
  const { resolver } = await startNameServer({ 'empty.test': {}, 'silent.test': null })
  expect(await dnsLookup(resolver)(name)).toEqual([])
})

test.each(['localhost', 'LOCALHOST', 'localhost.', 'hook.localhost'])(
  'a lookup of %s returns loopback addresses without a DNS query',
  async name => {
    const { resolver, asked } = await startNameServer({})
    const addresses = await dnsLookup(resolver)(name)
    expect(addresses.map(({ address }) => address)).toEqual(['127.0.0.1', '::1'])
    expect(asked).toEqual([])
  },
)

test('the system lookup resolves a name of the hosts file', async () => {
  const addresses = await systemLookup('localhost')
  expect(['127.0.0.1', '::1']).toContain(addresses[0]?.address)
})
