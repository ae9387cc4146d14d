import { expect } from 'vitest'
import { database, test } from '../../../testing/database-test.ts'
import { factsDuring } from '../../../testing/facts.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { openSigningKeys } from './signing-keys.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))

const context = () => ({ database, clock, vault: TEST_VAULT })
const created = (by: string, key: { id: string; publicKey: string; activeFrom: Date }) => [
  {
    agentId: null,
    actor: { type: 'service', id: by },
    action: 'signing_key.created',
    target: key.id,
    data: { public_key: key.publicKey, active_from: key.activeFrom.toISOString() },
  },
]

test('the creation of the first key is recorded once, however many nodes start', async () => {
  const facts = await factsDuring(database, () =>
    Promise.all([openSigningKeys(context()), openSigningKeys(context())]),
  )
  const first = await (await openSigningKeys(context())).current()
  expect(facts).toEqual(created('start', first))
})

test('a key rotation is recorded with the new public key', async () => {
  let made = { id: '', publicKey: '', activeFrom: new Date(0) }
  const facts = await factsDuring(database, async () => {
    made = await rotateSigningKey(context(), clock.now())
  })
  expect(facts).toEqual(created('rotation', made))
})
