import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { parseId } from '../kernel/ids.ts'
import { requestIds } from './request-id.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a request id is the TypeID of a UUIDv7 of that moment', () => {
  const moment = new Date('2026-11-20T10:15:30.123Z')
  const next = requestIds({ ...systemClock(), now: () => moment })
  for (let index = 0; index < 2000; index++) {
    const uuid = parseId('req', next()) ?? ''
    expect(uuid).toMatch(UUID_V7)
    expect(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)).toBe(moment.getTime())
  }
})

test('no two request ids are the same', () => {
  const next = requestIds(systemClock())
  expect(new Set(Array.from({ length: 20_000 }, next)).size).toBe(20_000)
})
