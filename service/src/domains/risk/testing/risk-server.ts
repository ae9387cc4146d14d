import { expect } from 'vitest'
import type { Authenticators } from '../../../http/caller.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { call, type Reply, startTestServer, TEST_ADMIN } from '../../../testing/test-server.ts'
import type { RiskContext } from '../context.ts'
import { serveRisk } from '../routes.ts'
import type { RiskWorld } from './risk-world.ts'

const AS_ADMIN = { cookie: 'service_admin_session=good-admin', 'sec-fetch-site': 'same-origin' }
const authenticators: Authenticators = {
  platform: () => null,
  agent: () => null,
  admin: session => (session === 'good-admin' ? TEST_ADMIN : null),
}

/** The administrators' routes over HTTP, on the ledger of a risk world. */
export interface RiskServer {
  /** Sends a request and expects this status; without `headers` the administrator sends it. */
  ask<Body>(
    method: string,
    path: string,
    status: number,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Body>
  /** Sends a request as the administrator and returns any response. */
  send(method: string, path: string, body: unknown): Promise<Reply>
  /** An agent with an open alert of `repeated_refusals`, and that alert's id on the wire. */
  alerted(): Promise<{ readonly agentId: Uuid; readonly alertId: string }>
  close(): Promise<void>
}

const REFUSALS = 10

export async function startRiskServer(
  world: RiskWorld,
  quarantine: RiskContext['quarantine'],
): Promise<RiskServer> {
  const { database, clock, ledger } = world
  const server = await startTestServer(
    ({ serve }) => serveRisk(serve, { database, clock, vault: TEST_VAULT, ledger, quarantine }),
    {
      database,
      clock,
      authenticators,
    },
  )
  return {
    send: (method, path, body) => call(server, method, `/v1/admin/risk/${path}`, { headers: AS_ADMIN, body }),
    async ask<Body>(
      method: string,
      path: string,
      status: number,
      body?: unknown,
      headers: Record<string, string> = AS_ADMIN,
    ) {
      const reply = await call(server, method, `/v1/admin/risk/${path}`, { headers, body })
      expect([path, reply.status]).toEqual([path, status])
      return reply.body as Body
    },
    async alerted() {
      const agentId = await world.agent()
      for (let refused = 0; refused < REFUSALS; refused++) world.signals.policyRefusal(agentId)
      await world.run()
      const [alert] = await world.alerts(agentId, 'repeated_refusals')
      return { agentId, alertId: formatId('alr', alert?.id ?? '') }
    },
    close: () => server.close(),
  }
}
