import { afterAll, expect } from 'vitest'
import type { AgentCaller, Authenticators } from '../../../http/caller.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import { authorizationIntent, authorizedOn } from '../../../testing/authorizing.ts'
import { TEST_VAULT } from '../../../testing/database.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import { call, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { openHandleCache } from '../../parties/agents/find-agent.ts'
import { openSigningKeys } from '../../signing/index.ts'
import { serveAuthorizations } from './routes.ts'

const APP = 'app '
let server: TestServer

/** A credential is the uuid of its agent, and before it `app` if an app acts for the agent. */
const authenticators: Authenticators = {
  agent(text): AgentCaller {
    const id = text.replace(APP, '')
    const agent = { agentId: id, platformId: id, ownerId: id, keyHash: hashSecret(id) }
    const app = { id: newUuid(clock.now()), name: 'Assistant', scopes: ['payments:write'] as const }
    return { kind: 'agent', ...agent, ...(text.startsWith(APP) && { app }) }
  },
  platform: () => null,
}

test.beforeAll(async () => {
  const signingKeys = await openSigningKeys({ database, clock, vault: TEST_VAULT })
  server = await startTestServer(
    ({ serve }) =>
      serveAuthorizations(serve, {
        ...{ database, vault: TEST_VAULT, ledger: node.ledger, agents: node.agents },
        findAgent: openHandleCache(database, TEST_VAULT),
        signals: { policyRefusal: () => undefined },
        ...{ signingKeys, serviceName: 'batua' },
      }),
    { database, clock, authenticators },
  )
})
afterAll(() => server.close())

test('an app begins the closing of what its agent set aside, and closes nothing that its agent receives', async () => {
  const [payer, payee] = [await newFundedAgent(100_000n), await newUnfundedAgent()]
  const { id } = await authorizedOn(node, authorizationIntent(payer, payee, 10_000n))
  const close = (key: string) =>
    call(server, 'POST', `/v1/authorizations/${formatId('ath', id)}/close`, {
      headers: { 'x-agent-key': key },
    })
  expect(await close(APP + payee)).toMatchObject({
    ...{ status: 403, body: { error: { code: 'authorization_error' } } },
  })
  expect(await close(APP + payer)).toMatchObject({ status: 200, body: { status: 'closing' } })
  expect(await close(payee)).toMatchObject({ status: 200, body: { status: 'expired' } })
})
