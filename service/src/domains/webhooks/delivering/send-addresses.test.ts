import type { LookupAddress } from 'node:dns'
import { guardedLookup, type Lookup } from '@batua/outgoing'
import { describe, expect, test } from 'vitest'
import { LOCALHOST } from '../testing/localhost-certificate.ts'
import { startReceiver } from '../testing/receiver.ts'
import { noResponse, responded, senderForTest, webhookTo } from '../testing/sending.ts'

const NOT_PUBLIC = noResponse('The address is not public')
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 }
const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 }
const METADATA: LookupAddress = { address: '169.254.169.254', family: 4 }

/** A name that resolves to these addresses. */
function resolving(...addresses: LookupAddress[]): Lookup {
  return () => Promise.resolve(addresses)
}

/** The addresses that the connection gets for a name. */
function resolved(lookup: Lookup, mode: 'sandbox' | 'live'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    guardedLookup(lookup, mode)('name.test', { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses)
      else reject(error)
    })
  })
}

function localhostReceiver() {
  return startReceiver(response => response.end(), { tls: true })
}

describe('live mode refuses to connect', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ])('to an address that is not public (%s)', async host => {
    const { port, connections } = await localhostReceiver()
    const sender = senderForTest({ mode: 'live', ca: LOCALHOST.certificate })
    expect(await sender.send(webhookTo(`https://${host}:${port}/`))).toEqual(NOT_PUBLIC)
    expect(connections()).toBe(0)
  })

  test('to localhost, as the system resolves it', async () => {
    const { origin, connections } = await localhostReceiver()
    const sender = senderForTest({ mode: 'live', ca: LOCALHOST.certificate })
    expect(await sender.send(webhookTo(origin))).toEqual(NOT_PUBLIC)
    expect(connections()).toBe(0)
  })

  test.each([
    ['this machine', [LOOPBACK]],
    ['this machine in IPv6', [{ address: '::1', family: 6 }]],
    ['this machine in IPv6 clothes', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['a public address and this machine', [PUBLIC, LOOPBACK]],
    ['metadata of the cloud', [METADATA]],
    ['what is no address', [{ address: 'localhost', family: 4 }]],
  ])('to a name that resolves to %s', async (_, addresses) => {
    const { port, connections } = await localhostReceiver()
    const sender = senderForTest({ mode: 'live', ca: LOCALHOST.certificate, lookup: resolving(...addresses) })
    expect(await sender.send(webhookTo(`https://localhost:${port}/`))).toEqual(NOT_PUBLIC)
    expect(connections()).toBe(0)
  })

  test.each(['http://127.0.0.1', 'http://example.com', 'http://93.184.216.34'])(
    'without TLS (%s)',
    async origin => {
      const sender = senderForTest({ mode: 'live', lookup: resolving(PUBLIC) })
      expect(await sender.send(webhookTo(origin))).toEqual(noResponse('The address is not an https one'))
    },
  )
})

test('only a few addresses of a name with thousands are tried, so that one webhook does not flood other machines', async () => {
  const many = Array.from({ length: 4000 }, (_, index) => ({
    address: `93.184.${index >> 8}.${index & 255}`,
    family: 4,
  }))
  const six = { address: '2606:4700::1111', family: 6 }
  expect(await resolved(resolving(...many, six), 'live')).toEqual([...many.slice(0, 4), six])
  await expect(resolved(resolving(...many, METADATA), 'live')).rejects.toThrow('The address is not public')
})

describe('a name whose addresses change (DNS rebinding)', () => {
  test('is resolved once for each connection, so the checked address is the one connected to', async () => {
    let calls = 0
    const rebinding: Lookup = () => {
      calls += 1
      return Promise.resolve([calls === 1 ? PUBLIC : LOOPBACK])
    }
    expect(await resolved(rebinding, 'live')).toEqual([PUBLIC])
    expect(calls).toBe(1)
    await expect(resolved(rebinding, 'live')).rejects.toThrow('The address is not public')
  })

  test('is refused at the next connection', async () => {
    const { port, connections, requests } = await localhostReceiver()
    const sender = senderForTest({ ca: LOCALHOST.certificate, lookup: resolving(LOOPBACK) })
    const responses = [LOOPBACK, METADATA]
    const changing = senderForTest({
      ca: LOCALHOST.certificate,
      lookup: () => Promise.resolve(responses.splice(0, 1)),
    })
    const webhook = webhookTo(`https://localhost:${port}/`)
    expect(await sender.send(webhook)).toEqual(responded(200))
    const results = await Promise.all([changing.send(webhook), changing.send(webhook)])
    expect(results).toContainEqual(responded(200))
    expect(results).toContainEqual(NOT_PUBLIC)
    expect(connections()).toBe(2)
    expect(requests).toHaveLength(2)
  })

  test('after the check has its connected address checked too, and receives no request', async () => {
    const { port, connections, requests } = await localhostReceiver()
    let reads = 0
    // Public when it is checked, this machine when it is connected to.
    const turncoat: LookupAddress = {
      get address() {
        reads += 1
        return reads === 1 ? PUBLIC.address : LOOPBACK.address
      },
      family: 4,
    }
    const sender = senderForTest({ mode: 'live', ca: LOCALHOST.certificate, lookup: resolving(turncoat) })
    expect(await sender.send(webhookTo(`https://localhost:${port}/`))).toEqual(NOT_PUBLIC)
    expect(connections()).toBe(1)
    expect(requests).toEqual([])
  })
})

describe('sandbox mode', () => {
  test("connects to developers' own machines", async () => {
    const { origin } = await startReceiver(response => response.end())
    const byName = origin.replace('127.0.0.1', 'hook.test')
    const sender = senderForTest({ lookup: resolving(LOOPBACK) })
    expect(await sender.send(webhookTo(origin))).toEqual(responded(200))
    expect(await sender.send(webhookTo(byName))).toEqual(responded(200))
  })

  test.each([
    '169.254.169.254',
    '0xa9fea9fe',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '224.0.0.1',
  ])('refuses the metadata addresses of clouds (%s)', async host => {
    expect(await senderForTest().send(webhookTo(`http://${host}/latest/`))).toEqual(NOT_PUBLIC)
  })

  test('refuses a name that resolves to a metadata address', async () => {
    const sender = senderForTest({ lookup: resolving(LOOPBACK, METADATA) })
    expect(await sender.send(webhookTo('http://metadata.test/'))).toEqual(NOT_PUBLIC)
  })
})

test('a sender works on after a refused address', async () => {
  const { origin } = await startReceiver(response => response.end())
  const sender = senderForTest({ maxConnections: 1 })
  expect(await sender.send(webhookTo('http://169.254.169.254/'))).toEqual(NOT_PUBLIC)
  expect(await sender.send(webhookTo(origin))).toEqual(responded(200))
})
