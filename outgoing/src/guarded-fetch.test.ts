import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GuardedFetch, openGuardedFetch, readAtMost } from './guarded-fetch.ts'

/** A kilobyte that becomes a megabyte. */
const BOMB = gzipSync(Buffer.alloc(1_000_000))
const opened: GuardedFetch[] = []
const server = createServer((request, response) => {
  if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  else if (request.url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB)
  else response.end('here')
})
let here: string

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()))
  server.closeAllConnections()
  server.close()
})

function open(mode: 'sandbox' | 'live', address = '127.0.0.1'): typeof fetch {
  const lookup = async () => [{ address, family: 4 }]
  const guarded = openGuardedFetch({ mode, maxBodyBytes: 1024, lookup })
  opened.push(guarded)
  return guarded.fetch
}

test('live mode fetches only public addresses, by https', async () => {
  const fetch = open('live')
  const refused = { name: 'NoResponse', isRefused: true }
  await expect(fetch('http://shop.example/')).rejects.toMatchObject(refused)
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '10.0.0.1',
    '[::ffff:10.0.0.1]',
    '169.254.169.254',
    'shop.example',
  ])
    await expect(fetch(`https://${host}/`), host).rejects.toMatchObject(refused)
})

test('sandbox mode fetches from this machine, and follows no redirect to a metadata service', async () => {
  const fetch = open('sandbox')
  expect(await (await fetch(here)).text()).toBe('here')
  await expect(fetch(`${here}/away`)).rejects.toMatchObject({ name: 'NoResponse', isRefused: true })
})

test('of a body that grows as it is decompressed, no more is read than is wanted', async () => {
  const fetch = open('sandbox')
  const { bytes, isWhole } = await readAtMost(await fetch(`${here}/bomb`), 1_000)
  expect([bytes.length, isWhole]).toEqual([1_000, false])
  expect(await readAtMost(await fetch(here), 1_000)).toEqual({ bytes: Buffer.from('here'), isWhole: true })
})

test('a failure quotes nothing of the address, and an abort passes on its reason', async () => {
  const fetch = open('sandbox')
  const gone = createServer()
  await new Promise<void>(resolve => gone.listen(0, '127.0.0.1', resolve))
  const { port } = gone.address() as AddressInfo
  await new Promise(resolve => gone.close(resolve))
  await expect(fetch(`http://127.0.0.1:${port}/secret`)).rejects.toMatchObject({
    ...{ message: 'Nobody listens at this address', isRefused: false },
  })
  const reason = new Error('enough')
  await expect(fetch(here, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
