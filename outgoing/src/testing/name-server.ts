import { createSocket } from 'node:dgram'
import { promises as dns } from 'node:dns'
import { onTestFinished } from 'vitest'

const TYPE_A = 1
const TYPE_AAAA = 28
const NAME_ERROR = 3

export interface Zone {
  readonly a?: readonly (readonly number[])[]
  readonly aaaa?: readonly (readonly number[])[]
}

/** A resolver that asks a name server of the test's own (RFC 1035); a name that is null is never answered. */
export async function startNameServer(zones: Readonly<Record<string, Zone | null>>): Promise<{
  readonly resolver: dns.Resolver
  readonly asked: readonly string[]
}> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const zone = zones[name]
    if (zone !== null) socket.send(responseTo(query.subarray(0, end), zone, type), port, address)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.bind(0, '127.0.0.1', resolve)
  await promise
  const resolver = new dns.Resolver({ timeout: 50, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  onTestFinished(() => {
    resolver.cancel()
    socket.close()
  })
  return { resolver, asked }
}

function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function responseTo(question: Buffer, zone: Zone | undefined, type: number): Buffer {
  const addresses = (type === TYPE_A ? zone?.a : type === TYPE_AAAA ? zone?.aaaa : undefined) ?? []
  const header = Buffer.from(question)
  header.writeUInt16BE(zone === undefined ? 0x8180 | NAME_ERROR : 0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.fill(0, 8, 12)
  // Each record: a pointer to the question's name, type, class IN, a time to live of 0, and the address.
  const records = addresses.map(address =>
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]),
  )
  return Buffer.concat([header, ...records])
}
