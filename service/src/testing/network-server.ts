import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { serveAdmin } from '../domains/admin/routes.ts'
import { serveAgents } from '../domains/parties/agents/routes.ts'
import { serveIdentity } from '../domains/parties/identity/routes.ts'
import { serveOwners } from '../domains/parties/owners/routes.ts'
import type { PlatformsContext } from '../domains/parties/platforms/context.ts'
import { createAuthenticators } from '../domains/parties/platforms/credentials.ts'
import { servePlatforms } from '../domains/parties/platforms/routes.ts'
import type { Authenticators } from '../http/caller.ts'
import { parseId } from '../kernel/ids.ts'
import { test as base, OF_FILE } from './database-test.ts'
import { networkContext, randomHandle, randomPan, randomPhone, TEST_VAULT } from './network.ts'
import {
  ADMIN_COOKIE,
  call,
  type Reply,
  startTestServer,
  TEST_ADMIN,
  type TestServer,
} from './test-server.ts'

export type Body = Record<string, unknown>
export type Headers = Record<string, string>

export interface NetworkServer {
  readonly server: TestServer
  /** Sends one request; the response is a JSON object. */
  readonly ask: (
    method: string,
    path: string,
    headers?: Headers,
    body?: unknown,
  ) => Promise<Reply & { readonly body: Body }>
}

/** Test sessions: an owner's token is the owner's id. */
const SESSIONS: Pick<Authenticators, 'owner' | 'admin'> = {
  owner(token) {
    const id = parseId('own', token)
    return id === null ? null : { kind: 'owner', ownerIds: [id], sessionId: randomUUID() }
  },
  admin: token => (ADMIN_COOKIE.endsWith(`=${token}`) ? TEST_ADMIN : null),
}

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

export const AS_ADMIN: Headers = { cookie: ADMIN_COOKIE, ...SAME_ORIGIN }

export function asOwner(ownerId: string): Headers {
  return { cookie: `service_session=${ownerId}`, ...SAME_ORIGIN }
}

/** Platforms, owners, agents and their administration over HTTP, with real credentials and a real database. */
export async function startNetworkServer(
  database: Database,
  options: Partial<Pick<PlatformsContext, 'signupOpen' | 'mode' | 'clock'>> = {},
): Promise<NetworkServer> {
  const context = { ...networkContext(database, options.clock), ...options }
  const register = ({ serve }: Pick<TestServer, 'serve'>) => {
    servePlatforms(serve, context)
    serveOwners(serve, context)
    serveAgents(serve, context)
    serveIdentity(serve, context)
    serveAdmin(serve, {
      ...context,
      countPendingApprovals: async () => 3,
      countOpenAlerts: async () => 2,
      countFailedDeliveries: async () => 4,
      readReconciliation: async () => ({ differences: null, checkedAt: null }),
    })
  }
  const authenticators = { ...createAuthenticators(database.lookUps, TEST_VAULT), ...SESSIONS }
  const server = await startTestServer(register, { database, authenticators, clock: context.clock })
  return {
    server,
    async ask(method, path, headers = {}, body) {
      const reply = await call(server, method, path, { headers, body })
      return { ...reply, body: reply.body as Body }
    },
  }
}

/** The server of the test file that runs: `test` starts it before the first test and closes it after the last. */
export let network: NetworkServer

export const ask: NetworkServer['ask'] = (...request) => network.ask(...request)

export const test = base.extend('network', OF_FILE, async ({ db }, { onCleanup }) => {
  network = await startNetworkServer(db.database)
  onCleanup(() => network.server.close())
  return network
})

/** A new platform's headers and id. */
export async function signUp({
  ask,
}: NetworkServer): Promise<{ readonly id: string; readonly headers: Headers }> {
  const { body } = await ask('POST', '/v1/platforms', {}, { name: 'Test platform' })
  const id = String(body['platform_id'])
  return { id, headers: { 'x-platform-id': id, 'x-platform-secret': String(body['platform_secret']) } }
}

export async function signUpOwner({ ask }: NetworkServer, platform: Headers): Promise<string> {
  const { body } = await ask('POST', '/v1/owners', platform, {
    name: 'Asha Rao',
    phone: randomPhone(),
    pan: randomPan(),
  })
  return String(body['owner_id'])
}

export async function signUpAgent(
  { ask }: NetworkServer,
  platform: Headers,
  ownerId: string,
): Promise<{ readonly id: string; readonly handle: string; readonly headers: Headers }> {
  const handle = randomHandle()
  const { body } = await ask('POST', '/v1/agents', platform, {
    name: 'Test agent',
    handle,
    owner_id: ownerId,
  })
  return { id: String(body['agent_id']), handle, headers: { 'x-agent-key': String(body['agent_key']) } }
}
