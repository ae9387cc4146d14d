import { expect, test } from 'vitest'
import { newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { testAccount } from '../../testing/accounts.ts'
import { type AgentFacts, ceilingOf } from '../policies/index.ts'
import { decideAllocation } from './decide-allocation.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')
const [ORG, TREASURY, WORKER, OWNER, THIEF] = [1, 2, 3, 4, 5].map(() => newUuid(NOW)) as [
  string,
  string,
  string,
  string,
  string,
]

function agent(id: string, ownerId: string): AgentFacts {
  return {
    ...{ id, ownerId, platformId: OWNER, status: 'active', heldAs: null, keyHash: hashSecret(id) },
    ...{ layers: [], ceiling: ceilingOf([]) },
  }
}

function allocatedTo(ownerId: string) {
  return decideAllocation({
    ...{ orgId: ORG, agentId: WORKER, amountPaise: paise(100n) },
    treasury: { agentId: TREASURY, orgId: ORG, role: 'treasury' },
    member: { agentId: WORKER, orgId: ORG, role: 'worker' },
    payer: agent(TREASURY, OWNER),
    payerAccount: testAccount(TREASURY, NOW.getTime(), { balancePaise: paise(1_000n) }),
    payee: agent(WORKER, ownerId),
    checkLimits: () => null,
  })
}

test('a treasury allocates to agents of its own owner alone, whoever is written down as a member', () => {
  expect(allocatedTo(OWNER)).toBeNull()
  expect(allocatedTo(THIEF)).toMatchObject({ kind: 'refusal', code: 'not_found' })
})
