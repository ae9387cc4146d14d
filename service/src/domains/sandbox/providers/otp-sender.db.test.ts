import { expect } from 'vitest'
import { TEST_VAULT } from '../../../testing/database.ts'
import { database, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { createSandboxOtpSender, type SandboxOtpSender } from './otp-sender.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let telephones: SandboxOtpSender

test.beforeAll(async () => {
  telephones = createSandboxOtpSender({ database, clock, vault: TEST_VAULT })
})

test('a phone shows the last code that was sent to it', async () => {
  for (const code of ['111111', '222222'])
    await telephones.send({ phone: '9876543210', code, validMinutes: 5 })
  expect(await telephones.lastCode('9876543210')).toBe('222222')
  expect(await telephones.lastCode('9876543211')).toBeNull()
})

test('a code that was put into the row of another phone is none', async () => {
  await telephones.send({ phone: '9876543220', code: '333333', validMinutes: 5 })
  await telephones.send({ phone: '9876543221', code: '444444', validMinutes: 5 })
  await database.query(
    `update sandbox_otps set code = (select code from sandbox_otps where phone_index = $1)
    where phone_index = $2`,
    [indexOf('9876543220'), indexOf('9876543221')],
  )
  expect(await telephones.lastCode('9876543220')).toBe('333333')
  expect(await telephones.lastCode('9876543221')).toBeNull()
})

function indexOf(phone: string): Buffer {
  return TEST_VAULT.blindIndex(phone, 'sandbox_otps.phone')
}
