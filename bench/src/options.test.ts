import { expect, it } from 'vitest'
import { LOAD_NAMES } from './loads.ts'
import { readOptions, WEBHOOK_PARTS } from './options.ts'

it('by default everything is measured in three rounds over ten thousand agents', () => {
  expect(readOptions([])).toMatchObject({
    rounds: 3,
    seconds: 8,
    agents: 10_000,
    loads: LOAD_NAMES,
    withTpcb: true,
  })
})

it('a quick run is short, and other options still apply', () => {
  expect(readOptions(['--quick', '--rounds', '2'])).toMatchObject({ rounds: 2, seconds: 3, agents: 2_000 })
})

it('measurements of webhooks can be selected together or one by one', () => {
  expect(readOptions(['--only', 'webhooks'])).toMatchObject({ webhookParts: WEBHOOK_PARTS, loads: [] })
  expect(readOptions(['--only', 'webhooks-hang'])).toMatchObject({ webhookParts: ['webhooks-hang'] })
  expect(readOptions(['--only', 'tpcb'])).toMatchObject({ webhookParts: [] })
})

it('a long history is measured only by itself', () => {
  expect(readOptions([])).toMatchObject({ alone: null })
  expect(readOptions(['--only', 'history', '--history', '20000'])).toMatchObject({
    alone: 'history',
    history: 20_000,
  })
  expect(() => readOptions(['--only', 'history,reads'])).toThrow('by itself')
})

it('a mistyped option is an error and not a default', () => {
  expect(() => readOptions(['--rounds', 'three'])).toThrow('--rounds')
  expect(() => readOptions(['--only', 'random-65'])).toThrow('random-65')
  expect(() => readOptions(['--sceonds', '3'])).toThrow()
})
