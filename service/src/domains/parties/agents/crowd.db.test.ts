import { afterAll, expect } from 'vitest'
import { type Database, openDatabase } from '../../../db/database.ts'
import { parseId } from '../../../kernel/ids.ts'
import { lockAccounts } from '../../../ledger/index.ts'
import { database, db } from '../../../testing/database-test.ts'
import {
  AS_ADMIN,
  ask,
  type Headers,
  network,
  signUp,
  signUpAgent,
  signUpOwner,
  test,
} from '../../../testing/network-server.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'

/** More than the number of connections. */
const CROWD = 40

let observer: Database

test.beforeAll(async () => {
  observer = openDatabase(db.url)
})

afterAll(async () => {
  await observer.close()
})

interface Party {
  readonly platform: Headers
  readonly ownerId: string
  readonly agentIds: readonly string[]
}

async function newParty(agents: number): Promise<Party> {
  const { headers } = await signUp(network)
  const ownerId = await signUpOwner(network, headers)
  const agentIds: string[] = []
  for (let made = 0; made < agents; made++) {
    agentIds.push((await signUpAgent(network, headers, ownerId)).id)
  }
  return { platform: headers, ownerId, agentIds }
}

/** Keeps changes of these agents waiting for the locks of their accounts until the work is done. */
async function whileCrowded(parties: readonly Party[], work: () => Promise<void>): Promise<void> {
  const ids = parties.flatMap(({ agentIds }) => agentIds.map(id => parseId('agt', id) ?? ''))
  const waiting: Promise<{ readonly status: number }>[] = []
  await observer.inTransaction(async tx => {
    await lockAccounts(tx, ids)
    for (const { platform, agentIds } of parties) {
      for (let request = 0; request < CROWD; request++) {
        const id = agentIds[request % agentIds.length]
        waiting.push(ask('PATCH', `/v1/agents/${id}`, platform, { name: `Name ${request}` }))
      }
    }
    await someoneWaitsForLock(observer)
    await work()
  })
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
}

test('while changes of one agent wait for its lock, requests of another platform are served', async () => {
  const crowd = await newParty(1)
  const stranger = await newParty(1)
  await whileCrowded([crowd], async () => {
    const seen = await ask('GET', `/v1/agents/${stranger.agentIds[0]}`, stranger.platform)
    expect(seen.status).toBe(200)
    const changed = await ask('PATCH', `/v1/agents/${stranger.agentIds[0]}`, stranger.platform, {
      name: 'New',
    })
    expect(changed.status).toBe(200)
  })
})

test('while one platform’s changes of many agents wait for their locks, requests of another platform are served', async () => {
  const crowd = await newParty(12)
  const stranger = await newParty(1)
  await whileCrowded([crowd], async () => {
    const seen = await ask('GET', `/v1/agents/${stranger.agentIds[0]}`, stranger.platform)
    expect(seen.status).toBe(200)
  })
})

test('while four platforms use all connections that they may have, stops and administrators are served', async () => {
  const parties = [await newParty(3), await newParty(3), await newParty(3), await newParty(3)]
  const stranger = await newParty(2)
  const [first, second] = stranger.agentIds
  await whileCrowded(parties, async () => {
    const paused = await ask('POST', `/v1/agents/${first}/pause`, stranger.platform)
    expect(paused).toMatchObject({ status: 200, body: { status: 'paused' } })
    const ended = await ask('DELETE', `/v1/agents/${second}`, stranger.platform)
    expect(ended).toMatchObject({ status: 200, body: { status: 'deactivated' } })
    const frozen = await ask('POST', `/v1/admin/owners/${stranger.ownerId}/freeze`, AS_ADMIN)
    expect(frozen).toMatchObject({ status: 200, body: { status: 'frozen' } })
    expect(await database.ready()).toBe(true)
  })
})
