import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { base64FromText } from '../protocol/base64.ts'
import { AUTHENTICATE_HEADER, voucherInCredential } from '../protocol/mpp.ts'
import { sessionClient } from './mpp-session-client.ts'

const SERVICE = 'https://service.test'
const NONCE = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d71'
const AUTHORIZATION = 'ath_01m7yptcm9e008qzdncftyawbt'

/** A session of which the service opens and closes authorizations. */
function open() {
  const closed: string[] = []
  const client = createClient({
    ...{ baseUrl: SERVICE, agentKey: `agk_live_${'k'.repeat(43)}`, maxRetries: 0 },
    async fetch(input) {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      if (pathname.endsWith('/close')) closed.push(pathname)
      const dates = { created_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-01T01:00:00.000Z' }
      const authorization = {
        authorization_id: AUTHORIZATION,
        status: 'open',
        token: 'e30.e30.c2ln',
        ...dates,
      }
      return Response.json({ agent_id: 'agt_01m7yptc5he00870yqczhzdbjy', ...authorization })
    },
  })
  const session = sessionClient({ client, tab: { amount: 10 } })
  const methodDetails = { nonce: NONCE, service: SERVICE, resource: 'GET /page' }
  const request = { amount: '10', currency: 'inr', recipient: 'weather', methodDetails }
  const challenge = { id: '1', realm: 'shop', method: 'batua', intent: 'session', request }
  const params = `id="1", realm="shop", method="batua", intent="session", request="${base64FromText(JSON.stringify(request))}"`
  return { session, closed, challenge, asked: `Payment ${params}` }
}

test('a nonce that a seller gives to a second call in progress is refused, and the session closes', async () => {
  const { session, closed, challenge, asked } = open()
  const page = 'https://shop.example/page'
  const headers = { [AUTHENTICATE_HEADER]: asked }
  const send = session.fetch(async (_, init) =>
    new Headers(init?.headers).has('authorization')
      ? new Response('sunny')
      : new Response(null, { status: 402, headers }),
  )
  await send(page)
  const made = await Promise.allSettled([1, 2].map(() => session.createCredential({ challenge })))
  const [credential] = made.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  expect(voucherInCredential(credential ?? null)?.nonce).toBe(NONCE)
  expect(made.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))).toMatchObject([
    { code: 'invalid_challenge', nonce: NONCE },
  ])
  await session.close()
  expect(closed).toEqual([])
  await send(page, { headers: { authorization: credential ?? '' } })
  await session.close()
  expect(closed).toHaveLength(1)
})
