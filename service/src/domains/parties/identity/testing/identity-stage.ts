import type { Certificate } from '@batua/contract'
import type { JSONWebKeySet } from 'jose'
import { type Clock, systemClock } from '../../../../kernel/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../../../testing/database.ts'
import { testOn } from '../../../../testing/database-test.ts'
import { type NetworkContext, networkContext } from '../../../../testing/network.ts'
import {
  asOwner,
  type Body,
  type Headers,
  type NetworkServer,
  signUp,
  signUpAgent,
  signUpOwner,
  startNetworkServer,
} from '../../../../testing/network-server.ts'
import { jwksDocument } from '../../../signing/keys/key-documents.ts'

/** An agent, with the credentials of the agent, its platform and its owner. */
export interface Side {
  readonly agentId: string
  readonly handle: string
  readonly ownerId: string
  readonly platform: Headers
  readonly agent: Headers
  readonly owner: Headers
}

/** The service over HTTP on a database of its own, with a manual clock. */
export interface IdentityStage {
  readonly db: TestDatabase
  readonly clock: Clock
  readonly context: NetworkContext
  readonly server: NetworkServer
  newSide(): Promise<Side>
  /** The response to a request that must succeed. */
  get<Reply>(path: string, headers: Headers): Promise<Reply>
  post<Reply>(path: string, headers: Headers, body?: Body): Promise<Reply>
  /** The status and, for an error, its code. */
  outcome(method: string, path: string, headers?: Headers, body?: Body): Promise<[number, string | null]>
  certificates(side: Side, query?: string): Promise<Certificate[]>
  /** Verifies a certificate without a credential; returns the reason. */
  validity(id: string): Promise<string>
  jwks(): Promise<JSONWebKeySet>
  close(): Promise<void>
}

/** The stage of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let stage: IdentityStage

export const test = testOn(openIdentityStage, opened => {
  stage = opened
})

export async function openIdentityStage(): Promise<IdentityStage> {
  const db = await createTestDatabase()
  const clock = systemClock()
  const context = networkContext(db.database, clock)
  const server = await startNetworkServer(db.database, { clock })
  const { ask } = server

  async function request<Reply>(method: string, path: string, headers: Headers, body?: Body) {
    const reply = await ask(method, path, headers, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body as Reply
  }
  const get = <Reply>(path: string, headers: Headers) => request<Reply>('GET', path, headers)

  return {
    db,
    clock,
    context,
    server,
    async newSide() {
      const platform = await signUp(server)
      const ownerId = await signUpOwner(server, platform.headers)
      const { id, handle, headers } = await signUpAgent(server, platform.headers, ownerId)
      return {
        agentId: id,
        handle,
        ownerId,
        platform: platform.headers,
        agent: headers,
        owner: asOwner(ownerId),
      }
    },
    get,
    post: <Reply>(path: string, headers: Headers, body: Body = {}) =>
      request<Reply>('POST', path, headers, body),
    async outcome(method, path, headers = {}, body) {
      const reply = await ask(method, path, headers, body)
      const error = reply.body['error'] as { readonly code: string } | undefined
      return [reply.status, error?.code ?? null]
    },
    async certificates(side, query = '') {
      const path = `/v1/agents/${side.agentId}/certificates${query}`
      return (await get<{ certificates: Certificate[] }>(path, side.platform)).certificates
    },
    async validity(id) {
      const { valid, reason } = await get<{ valid: boolean; reason: string }>(
        `/v1/certificates/${id}/verify`,
        {},
      )
      if (valid !== (reason === 'ok')) throw new Error(`valid is ${valid} though the reason is ${reason}`)
      return reason
    },
    jwks: async () => jwksDocument(await context.signingKeys.all()),
    async close() {
      await server.server.close()
      await db.drop()
    },
  }
}
