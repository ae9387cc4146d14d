import fc from 'fast-check'
import { expect } from 'vitest'
import { database, test } from '../testing/database-test.ts'
import { arrayLiteral, textArrayLiteral } from './array-literal.ts'

async function asText(literal: string): Promise<unknown> {
  const rows = await database.query<{ items: unknown }>('select to_json($1::text[]) as items', [literal])
  return rows[0]?.items
}

const HOSTILE = [
  '',
  'NULL',
  'null',
  '{}',
  '{a,b}',
  ',',
  '"',
  '""',
  '\\',
  '\\"',
  '\\\\"',
  '"},{"',
  "'; drop table transfers; --",
  '\n',
  '\t',
  '\r',
  ' ',
  ' leading and trailing ',
  '\u00a0',
  '\u0001',
  'नमस्ते',
  '🪙',
  'e\u0301',
  '\uffff',
  'x'.repeat(5_000),
]

test('text with special characters is read back equal, item by item', async () => {
  expect(await asText(textArrayLiteral(HOSTILE))).toEqual(HOSTILE)
  for (const text of HOSTILE)
    expect(await asText(textArrayLiteral([null, text, null]))).toEqual([null, text, null])
  expect(await asText(textArrayLiteral([]))).toEqual([])
})

test('any text that a body can contain is read back equal', async () => {
  // From 1 on: PostgreSQL has no place for NUL, and the contract refuses it.
  const codes = fc.oneof(fc.integer({ min: 1, max: 0x7f }), fc.integer({ min: 1, max: 0xffff }))
  const anything = fc.array(codes, { maxLength: 40 }).map(all => String.fromCharCode(...all).toWellFormed())
  const text = fc.oneof(anything, fc.constantFrom(...HOSTILE))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async sent => {
      expect(await asText(textArrayLiteral(sent))).toEqual(sent)
    }),
    { numRuns: 200 },
  )
})

test('numbers, uuids and nulls are read back equal', async () => {
  const uuid = '0193c5a0-0000-7000-8000-000000000001'
  const rows = await database.query(
    `select $1::int8[]::text as big, $2::uuid[]::text as ids, $3::int4[]::text as small, $4::int8[]::text as none`,
    [
      arrayLiteral([2n ** 63n - 1n, null, -(2n ** 63n), 0n]),
      arrayLiteral([uuid, null]),
      arrayLiteral([0, -1]),
      arrayLiteral([]),
    ],
  )
  expect(rows).toEqual([
    {
      big: '{9223372036854775807,NULL,-9223372036854775808,0}',
      ids: `{${uuid},NULL}`,
      small: '{0,-1}',
      none: '{}',
    },
  ])
})
