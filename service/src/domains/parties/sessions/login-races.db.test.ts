import { expect } from 'vitest'
import { type Database, openDatabase } from '../../../db/database.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import { logIn } from './log-in.ts'
import { from, stage, test } from './testing/session-stage.ts'

/** A login with the right code, with an action between its try and its session. */
async function logInAfter(phone: string, code: string, between: () => Promise<unknown>) {
  const { database } = stage.context
  const delayed: Database = {
    ...database,
    async inTransaction(work) {
      await between()
      return database.inTransaction(work)
    },
  }
  return logIn(
    { ...stage.context, database: delayed },
    'owner',
    { phone, code, clientAddress: '127.0.0.1', browserToken: undefined, userAgent: undefined },
    stage.clock.now(),
  )
}

async function sessions(): Promise<number> {
  const [row] = await stage.db.database.query<{ count: bigint }>('select count(*) as count from sessions')
  return Number(row?.count ?? 0)
}

test('a right code that two pages send at the same moment creates one session', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  const before = await sessions()
  let arrived = 0
  const all = Promise.withResolvers<void>()
  const both = () => {
    arrived += 1
    if (arrived === 2) all.resolve()
    return all.promise
  }
  const outcomes = await Promise.allSettled([logInAfter(number, code, both), logInAfter(number, code, both)])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await sessions()).toBe(before + 1)
})

test('a code that is replaced during a login creates no session', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  const before = await sessions()
  const late = logInAfter(number, code, () => {
    stage.clock.advance(30_000)
    return stage.sendOtp(number)
  })
  await expect(late).rejects.toMatchObject({ code: 'authentication_error' })
  expect(await sessions()).toBe(before)
})

test.each(['owner', 'admin'] as const)(
  'while requests for codes of one phone wait for each other, another %s gets a code',
  async kind => {
    const [phone, other] = ['9811111111', '9822222222']
    await stage.sendOtp(phone, kind, from('198.51.100.250'))
    const observer = openDatabase(stage.db.url)
    const waiting: Promise<{ readonly status: number }>[] = []
    try {
      await observer.inTransaction(async tx => {
        await tx.query(`select from login_phones for update`)
        for (let address = 0; address < 30; address++) {
          waiting.push(stage.sendOtp(phone, kind, from(`198.51.100.${address}`)))
        }
        await someoneWaitsForLock(observer)
        expect((await stage.sendOtp(other, kind)).status).toBe(200)
      })
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
    } finally {
      await observer.close()
    }
  },
)
