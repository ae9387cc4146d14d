import { expect, test } from 'vitest'
import { normaliseOrigin } from './origin.ts'

const LIVE = { allowsLoopback: false }
const SANDBOX = { allowsLoopback: true }

test.each([
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['HTTPS://Shop.EXAMPLE', 'https://shop.example'],
  ['https://shop.example.', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://203.0.113.7', 'https://203.0.113.7'],
  ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
])('%s is normalised to the origin %s', (text, origin) => {
  expect(normaliseOrigin(text, LIVE)).toBe(origin)
})

test.each([
  '',
  'shop.example',
  'https://',
  'http://shop.example',
  'ftp://shop.example',
  'https://shop.example/path',
  'https://shop.example?',
  'https://shop.example/#',
  'https://user@shop.example',
  'https://@shop.example',
  'https://user:secret@shop.example',
  'https://*.example',
  'https://shop..example',
  'https://shop.example..',
  ' https://shop.example',
  'https:\\\\shop.example',
  'https://shop.example:99999',
  'data:text/plain,shop',
  'null',
])('%j is refused as an origin', text => {
  expect(normaliseOrigin(text, LIVE)).toBeNull()
  expect(normaliseOrigin(text, SANDBOX)).toBeNull()
})

test.each(['http://127.0.0.1:4020', 'http://localhost:4020', 'http://shop.localhost', 'http://[::1]:4020'])(
  '%s of this machine is taken in the sandbox alone',
  text => {
    expect(normaliseOrigin(text, SANDBOX)).toBe(text)
    expect(normaliseOrigin(text, LIVE)).toBeNull()
  },
)

test('an http origin of another machine is always refused', () => {
  for (const text of [
    'http://10.0.0.1',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://128.0.0.1',
  ]) {
    expect(normaliseOrigin(text, SANDBOX)).toBeNull()
  }
})
