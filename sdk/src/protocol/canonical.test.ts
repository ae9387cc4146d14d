import canonicalize from 'canonicalize'
import { expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'

test.each([
  '{"b":1,"a":[true,null,{"d":"x","c":[]}],"":{}}',
  '{"\\u20ac":"Euro","\\r":"Return","\\ud83d\\ude00":"Emoji","\\ufb33":"Dalet","1":"One","10":"Ten","2":"Two"}',
  '{"text":"\\u0000\\u001f\\"\\\\/\\u2028é","numbers":[1e21,0.1,-0,1e-7,333333333.33333329]}',
])('%s has the same canonical form as by another library', json => {
  const value: unknown = JSON.parse(json)
  expect(canonicalJson(value)).toBe(canonicalize(value))
})
