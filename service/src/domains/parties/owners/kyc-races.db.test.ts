import { beforeEach, expect } from 'vitest'
import { newAgent } from '../../../testing/network.ts'
import { selectAgent } from '../agents/store.ts'
import type { OwnersContext } from './context.ts'
import { decryptPersonal } from './personal-data.ts'
import type { Owner } from './store.ts'
import { bankVerifications } from './submit-kyc.ts'
import { stage, test } from './testing/owner-stage.ts'

let context: OwnersContext
let owner: Owner

test.beforeAll(async () => {
  context = stage.context
})
beforeEach(async () => {
  owner = await stage.newOwner()
})

const submit = (account: string, by?: OwnersContext) => stage.submit(owner, account, by)
const stored = () => stage.stored(owner)
const events = () => stage.events(owner)
const advance = (seconds: number) => stage.advance(seconds)

test('the jobs of several nodes ask the bank once and publish one event', async () => {
  const { agent } = await newAgent(stage.network, owner)
  await submit('900000000004')
  stage.clock.setOffsetMs(stage.clock.offsetMs() + 61_000)
  const taken = await Promise.all([1, 2, 3, 4].map(() => bankVerifications(context).run(stage.clock.now())))
  expect(taken.toSorted()).toEqual([0, 0, 0, 1])
  expect(await events()).toEqual(['pending bank_pending', 'verified null'])
  expect((await selectAgent(context.database, agent.id))?.tier).toBe('tier1')
})

test('a slow check does not overwrite a newer submission', async () => {
  await submit('900000000004')
  stage.clock.setOffsetMs(stage.clock.offsetMs() + 61_000)
  const slow = {
    ...context,
    bankVerifier: {
      ...context.bankVerifier,
      checkAgain: async (...args: Parameters<OwnersContext['bankVerifier']['checkAgain']>) => {
        await submit('900000000001')
        return context.bankVerifier.checkAgain(...args)
      },
    },
  }
  expect(await bankVerifications(slow).run(stage.clock.now())).toBe(1)
  expect(await stored()).toMatchObject({ kycStatus: 'failed', bankAccountLast4: '0001', tier: 'sandbox' })
})

test('of concurrent submissions the newest counts, and the others get a conflict', async () => {
  const accounts = ['500000000001', '500000000002', '500000000003', '500000000004']
  const responses = await Promise.allSettled(accounts.map(account => submit(account)))
  const taken = responses.filter(response => response.status === 'fulfilled')
  expect(taken.length).toBeGreaterThan(0)
  for (const response of responses) {
    if (response.status === 'rejected') expect(response.reason).toMatchObject({ code: 'conflict' })
  }
  expect(await stage.openChecks(owner)).toBe(0)
  expect((await stored()).kycStatus).toBe('verified')
})

test('a failed check does not stop other checks and is retried', async () => {
  await submit('900000000004')
  const neighbour = await stage.newOwner()
  await stage.submit(neighbour, '900000000004')
  stage.clock.setOffsetMs(stage.clock.offsetMs() + 61_000)
  const failing = {
    ...context,
    bankVerifier: {
      ...context.bankVerifier,
      checkAgain: (...[reference, claim]: Parameters<OwnersContext['bankVerifier']['checkAgain']>) =>
        claim.phone === decryptPersonal(context.vault, neighbour.id, 'phone', neighbour.phone)
          ? Promise.reject(new Error('broken'))
          : context.bankVerifier.checkAgain(reference, claim),
    },
  }
  expect(await bankVerifications(failing).run(stage.clock.now())).toBe(2)
  expect((await stored()).kycStatus).toBe('verified')
  await advance(46)
  expect(await stage.stored(neighbour)).toMatchObject({ kycStatus: 'verified' })
})

test('no lock of the owner is held while the bank is asked', async () => {
  const watched = {
    ...context,
    bankVerifier: {
      ...context.bankVerifier,
      verifyAccount: async (...[claim]: Parameters<OwnersContext['bankVerifier']['verifyAccount']>) => {
        await context.database.query(`select id from owners where id = $1 for update nowait`, [owner.id])
        await context.database.query(`select id from kyc_checks where owner_id = $1 for update nowait`, [
          owner.id,
        ])
        return context.bankVerifier.verifyAccount(claim)
      },
    },
  }
  expect(await submit('500000000000', watched)).toMatchObject({ kycStatus: 'verified' })
})
