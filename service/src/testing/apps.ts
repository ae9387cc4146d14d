import { connectCommand, endCommand } from '../domains/apps/change-app.ts'
import type { AppIdentity } from '../http/caller.ts'
import { DAY_MS } from '../kernel/clock.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { hashSecret } from '../kernel/secrets.ts'
import { service } from '../operations/facts.ts'
import type { TestNode } from './builders.ts'

export interface AppCaps {
  readonly perTx?: bigint
  readonly daily: bigint
  readonly days?: number
}

/** Connects an app to an agent, with everything that an app may do. */
export async function connectApp(
  { ledger, agents }: TestNode,
  agentId: Uuid,
  { daily, perTx = daily, days = 365 }: AppCaps,
): Promise<AppIdentity> {
  const { id, name } = await ledger.submit(
    connectCommand(
      agents,
      {
        ...{ agentId, clientId: 'https://assistant.example/client.json', name: 'Assistant' },
        scopes: ['wallet:read', 'payments:write', 'approvals:request'],
        ...{ perTxPaise: paise(perTx), dailyPaise: paise(daily) },
        grantHash: hashSecret(newUuid(new Date())),
        lifetimeMs: days * DAY_MS,
      },
      { actor: service('test'), phone: '9876543210', handle: 'buyer' },
    ),
  )
  return { id, name }
}

/** Ends an app as its owner does. */
export async function endApp({ ledger }: TestNode, agentId: Uuid, { id }: AppIdentity): Promise<void> {
  await ledger.submit(endCommand({ agentId, id }, service('test'), 'disconnected by the owner'))
}
