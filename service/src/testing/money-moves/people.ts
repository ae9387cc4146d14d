import type { Database } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { changeAgent } from '../builders.ts'
import type { ManualClock } from '../manual-clock.ts'
import { networkContext, newAgent, newOwner, newPlatform } from '../network.ts'
import { verify } from '../paying-out.ts'

export interface Person {
  readonly agentId: Uuid
  readonly ownerId: Uuid
  readonly handle: string
  readonly keyHash: Buffer
}

export type People = readonly Person[]

/** Accounts that the bank confirms, with all outcomes of payouts to them. */
export const PAYABLE_ACCOUNTS = [
  '501234567890',
  '900000000006',
  '7766671735000',
  '900000000022',
  '900000000023',
  '900000000026',
  '900000000025',
  '900000000024',
  '900000000007',
  '900000000008',
  '900000000021',
  '601234567890',
  '900000000004',
  '900000000005',
  '900000000012',
] as const

/** Accounts that the bank does not confirm as the owner's. */
export const REFUSED_ACCOUNTS = [
  '900000000001',
  '900000000002',
  '900000000003',
  '900000000013',
  '900000000014',
  '900000000015',
  '900000000016',
  '900000000017',
] as const

const AGENTS_OF_AN_OWNER = 2

/** Owners with two agents each. Of four, one is not verified, two have an account that accepts payouts, one another. */
export async function openPeople(database: Database, clock: ManualClock, agents: number): Promise<People> {
  const network = networkContext(database, clock)
  const { platform } = await newPlatform(network)
  const people: Person[] = []
  while (people.length < agents) {
    const owner = await newOwner(network, platform.id)
    const account = accountOf(people.length / AGENTS_OF_AN_OWNER)
    if (account !== null) await verify(network, owner.id, account)
    for (let count = 0; count < AGENTS_OF_AN_OWNER; count++) {
      const { agent } = await newAgent(network, owner)
      // The limits of this tier allow all payments of these runs.
      await changeAgent(database, agent.id, { tier: 'tier3' })
      const { id: agentId, handle, keyHash } = agent
      people.push({ agentId, ownerId: owner.id, handle, keyHash })
    }
  }
  return people
}

function accountOf(owner: number): string | null {
  const others = PAYABLE_ACCOUNTS.slice(1)
  switch (owner % 4) {
    case 0:
      return null
    case 1:
      return others[Math.floor(owner / 4) % others.length] ?? null
    default:
      return PAYABLE_ACCOUNTS[0]
  }
}
