import { expect, test } from 'vitest'
import { readOptions } from './listen-options.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`

test('without options it listens on 9000 and responds with 204 at once', () => {
  const options = { port: 9000, status: 204, delayMs: 0, count: null, json: false, help: false }
  expect(readOptions([], {})).toEqual({ ...options, secrets: [] })
})

test('secrets come from the environment, and from the command line before it', () => {
  const env = { WEBHOOK_SECRET: `${SECRET}, ${OTHER}` }
  expect(readOptions([], env).secrets).toEqual([SECRET, OTHER])
  expect(readOptions(['--secret', OTHER], env).secrets).toEqual([OTHER])
})

test('a secret of another kind is refused and not repeated', () => {
  const secret = `sk_live_${'x'.repeat(43)}`
  expect(() => readOptions(['--secret', secret], {})).toThrow(/^The secret must be whsec_ and base64/)
  expect(() => readOptions(['--secret', secret], {})).not.toThrow(secret)
})

test('an invalid number is refused', () => {
  for (const [option, text] of [
    ['--port', '65536'],
    ['--port', '-1'],
    ['--status', '99'],
    ['--delay', '1.5'],
    ['--count', '0'],
    ['--count', ''],
  ] as const) {
    expect(() => readOptions([`${option}=${text}`], {}), `${option} ${text}`).toThrow(
      `${option} must be a whole number`,
    )
  }
  expect(() => readOptions(['--prot', '1'], {})).toThrow('--prot')
})
