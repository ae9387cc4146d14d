import { expect, test } from 'vitest'
import { relyingPartyOf, requireRelyingParty } from './relying-party.ts'

test.each([
  ['https://pay.example.com', 'pay.example.com'],
  ['http://localhost:8080', 'localhost'],
  ['http://batua.localhost:8080', 'batua.localhost'],
])('passkeys are made for the host of %s', (baseUrl, host) => {
  expect(requireRelyingParty(relyingPartyOf(baseUrl)).id).toBe(host)
})

test.each([
  'http://192.168.1.7:8080',
  'http://127.0.0.1:8080',
  'https://192.168.1.7',
  'http://[::1]:8080',
  'http://desk.lan:8080',
  'http://notlocalhost:8080',
])('browsers make none for %s, and the refusal says what would work', baseUrl => {
  expect(() => requireRelyingParty(relyingPartyOf(baseUrl))).toThrow(
    'only for a host name by https, or at localhost',
  )
})
