import { type ErrorCode, routes, type WebhookDelivery } from '@batua/contract'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { networkContext, TEST_VAULT } from '../../../testing/network.ts'
import { call, type Reply, startTestServer } from '../../../testing/test-server.ts'
import { createAuthenticators } from '../../parties/platforms/credentials.ts'
import { servePlatforms } from '../../parties/platforms/routes.ts'
import { wakeEndpoint } from '../delivering/endpoint-store.ts'
import { serveWebhooks } from '../routes.ts'

/** A platform that signed up over HTTP. */
export interface TestPlatform {
  readonly id: Uuid
  readonly webhookSecret: string
  get<T>(path: string): Promise<T>
  ask(method: string, path: string, body?: unknown): Promise<Reply>
  /** Sends a test webhook; the request must succeed. */
  test(): Promise<WebhookDelivery>
  retry(deliveryId: string): Promise<WebhookDelivery>
  setUrl(url: string | null): Promise<void>
}

/** Webhook routes over HTTP on a database of their own, without a deliverer. */
export interface RequestsStage {
  readonly db: TestDatabase
  readonly clock: Clock
  /** Aborted to simulate the service's stop. */
  readonly stopping: AbortController
  newPlatform(url?: string | null): Promise<TestPlatform>
  close(): Promise<void>
}

export async function openRequestsStage(): Promise<RequestsStage> {
  const db = await createTestDatabase()
  const clock = systemClock()
  const stopping = new AbortController()
  const context = { ...networkContext(db.database, clock), resumeWebhooks: wakeEndpoint }
  const authenticators = createAuthenticators(db.database, TEST_VAULT)
  const server = await startTestServer(
    ({ serve }) => {
      servePlatforms(serve, context)
      serveWebhooks(serve, { ...context, stopping: stopping.signal })
    },
    { database: db.database, authenticators, clock },
  )

  async function newPlatform(url: string | null = null): Promise<TestPlatform> {
    const body = { name: 'Receiving', ...(url !== null && { webhook_url: url }) }
    const created = responseOf<Created>(await call(server, 'POST', routes.createPlatform.path, { body }))
    const { platform_id: platformId, platform_secret: secret } = created
    const headers = { 'x-platform-id': platformId, 'x-platform-secret': secret }
    const ask = (method: string, path: string, sent?: unknown) =>
      call(server, method, path, { headers, body: sent })
    return {
      id: parseId('plt', platformId) ?? '',
      webhookSecret: created.webhook_secret,
      ask,
      get: async path => responseOf(await ask('GET', path)),
      test: async () => responseOf(await ask('POST', routes.testWebhook.path)),
      retry: async id => responseOf(await ask('POST', retryPath(id))),
      setUrl: async webhook_url => {
        responseOf(await ask('PATCH', `/v1/platforms/${platformId}`, { webhook_url }))
      },
    }
  }

  return {
    db,
    clock,
    stopping,
    newPlatform,
    async close() {
      await server.close()
      await db.drop()
    },
  }
}

interface Created {
  readonly platform_id: string
  readonly platform_secret: string
  readonly webhook_secret: string
}

export function retryPath(deliveryId: string): string {
  return routes.retryWebhookDelivery.path.replace('{delivery_id}', deliveryId)
}

function responseOf<T>({ status, body }: Reply): T {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as T
}

/** The status and code of a refusal. */
export function refusalIn({ status, body }: Reply): [number, ErrorCode | null] {
  const { error } = body as { readonly error?: { readonly code: ErrorCode } }
  return [status, error?.code ?? null]
}
