import { writeMacs } from '../db/row-mac.ts'
import { openHandleCache } from '../domains/parties/agents/find-agent.ts'
import { OWNER_ROWS } from '../domains/parties/owners/store.ts'
import { serveApprovals } from '../domains/payments/approvals/routes.ts'
import { executeHold } from '../domains/payments/escrow/hold.ts'
import { serveEscrow } from '../domains/payments/escrow/routes.ts'
import { executePayment } from '../domains/payments/pay.ts'
import { servePayments } from '../domains/payments/routes.ts'
import type { AgentCaller, Authenticators } from '../http/caller.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import { hashSecret } from '../kernel/secrets.ts'
import { type AgentColumns, insertFundedAgent, startNode, type TestNode } from './builders.ts'
import { TEST_VAULT, type TestDatabase } from './database.ts'
import type { ManualClock } from './manual-clock.ts'
import { call, type Reply, startTestServer } from './test-server.ts'
import { WITHOUT_PASSKEYS } from './without-passkeys.ts'

/** Every credential is its holder's uuid; each agent of the builders has an owner and a platform with its own id. */
const authenticators: Authenticators = {
  agent: (id): AgentCaller => {
    return { kind: 'agent', agentId: id, platformId: id, ownerId: id, keyHash: hashSecret(id) }
  },
  platform: id => ({ kind: 'platform', platformId: id }),
  owner: id => ({ kind: 'owner', ownerIds: [id], sessionId: id }),
}

const HEADERS = {
  agent: (id: Uuid) => ({ 'x-agent-key': id }),
  platform: (id: Uuid) => ({ 'x-platform-id': id, 'x-platform-secret': id }),
  owner: (id: Uuid) => ({ cookie: `service_session=${id}`, 'sec-fetch-site': 'same-origin' }),
}

/** Payments, approvals and escrows over HTTP. */
export interface MoneyServer {
  readonly node: TestNode
  /** An agent with 1,000 INR, and an owner with the same id. */
  agent(columns?: AgentColumns): Promise<Uuid>
  as(who: keyof typeof HEADERS, id: Uuid, path: string, body?: object): Promise<JsonReply>
  close(): Promise<void>
}

export interface JsonReply extends Reply {
  readonly body: Readonly<Record<string, unknown>>
}

export async function openMoneyServer({ database }: TestDatabase, clock: ManualClock): Promise<MoneyServer> {
  const node = startNode({ database, clock })
  const { ledger, agents } = node
  const core = {
    database,
    ledger,
    agents,
    authenticators,
    findAgent: openHandleCache(database, TEST_VAULT),
  }
  const agentKeys = { authenticate: authenticators.agent, forget: () => undefined, recall: () => undefined }
  const executors = { payment: executePayment(agents), escrow_hold: executeHold(agents) }
  const server = await startTestServer(
    ({ serve }) => {
      servePayments(serve, {
        ...core,
        agentKeys,
        signals: { policyRefusal: () => undefined },
        receiptToken: async () => null,
      })
      serveApprovals(serve, { ...core, executors, stepUp: WITHOUT_PASSKEYS })
      serveEscrow(serve, { ...core, vault: TEST_VAULT })
    },
    { database, clock, authenticators },
  )
  return {
    node,
    async agent(columns = {}) {
      const id = await insertFundedAgent(ledger, database, clock, 100_000n, columns)
      await database.query(
        `insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, created_at)
         values ($1, $1, 'Asha Rao', '', '', '', '', $2)`,
        [id, clock.now()],
      )
      await writeMacs(database, TEST_VAULT, OWNER_ROWS, [id])
      return id
    },
    async as(who, id, path, body) {
      const reply = await call(server, 'POST', path, { headers: HEADERS[who](id), body })
      return { ...reply, body: reply.body as JsonReply['body'] }
    },
    async close() {
      await server.close()
      await ledger.close()
    },
  }
}

export const agentPath = (id: Uuid, rest: string) => `/v1/agents/${formatId('agt', id)}/${rest}`
