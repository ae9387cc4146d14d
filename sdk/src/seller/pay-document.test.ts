import { FORMATS, PAY_DOCUMENT_PATH as PATH, PayDocument } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { memoryTabStore } from './memory-tab-store.ts'
import { PAY_DOCUMENT_PATH, type PublishedRoute, payDocument } from './pay-document.ts'

const fits = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS }).compile(PayDocument)

test('the document of a shop has the form of the contract, and says what each route costs', () => {
  const document = payDocument({
    name: 'Weather of Pune',
    description: 'Forecasts',
    routes: {
      'GET /weather/{city}': {
        payTo: '@Weather',
        amount: 2.5,
        description: 'Now',
        buyers: { tier: 'tier1' },
      },
      'POST /words': { payTo: 'weather', amount: () => 1, priceRange: ['0.50', 10], x402: true },
      'GET /asked': { payTo: 'weather', amount: () => 1, tab: { store: memoryTabStore() } },
    },
  })
  expect(document).toEqual({
    ...{ version: 1, payTo: 'weather', name: 'Weather of Pune', description: 'Forecasts' },
    protocols: ['batua', 'vouchers', 'x402'],
    routes: [
      {
        ...{ method: 'GET', path: '/weather/{city}', description: 'Now' },
        ...{ price: { from: '2.50', to: '2.50' }, buyers: { tier: 'tier1' } },
      },
      { method: 'POST', path: '/words', price: { from: '0.50', to: '10.00' } },
      { method: 'GET', path: '/asked' },
    ],
  })
  expect(fits(document)).toBe(true)
  expect(PAY_DOCUMENT_PATH).toBe(PATH)
})

const ROUTE: PublishedRoute = { payTo: 'weather', amount: 1 }
test.each<[string, string, Record<string, PublishedRoute>]>([
  ['no route', 'Shop', {}],
  ['a path without its method', 'Shop', { '/weather': ROUTE }],
  ['a path with a space', 'Shop', { 'GET /a b': ROUTE }],
  ['two payees', 'Shop', { 'GET /a': ROUTE, 'GET /b': { ...ROUTE, payTo: 'other' } }],
  ['a name of two lines', 'Shop\nof mine', { 'GET /a': ROUTE }],
  ['a name that turns the direction of writing', 'Shop \u202e', { 'GET /a': ROUTE }],
  ['a name of spaces', '  ', { 'GET /a': ROUTE }],
  ['a description that is too long', 'Shop', { 'GET /a': { ...ROUTE, description: 'a'.repeat(501) } }],
  ['a range from more to less', 'Shop', { 'GET /a': { ...ROUTE, priceRange: [2, 1] } }],
  [
    'too many routes',
    'Shop',
    Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`GET /${n}`, ROUTE])),
  ],
])('a document with %s is refused', (_, name, routes) => {
  expect(() => payDocument({ name, routes })).toThrow(Error)
})
