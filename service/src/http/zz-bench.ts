import { route } from '@batua/contract'
import { Type } from 'typebox'
import { fastify } from 'fastify'
import { AS_AGENT, startTestServer } from './test-server.ts'
import { createLogger } from '../kernel/logger.ts'
import { openSync } from 'node:fs'
import { pino } from 'pino'
const nul = (t: string) => Type.Unsafe<string | null>({ type: [t, 'null'] })
const pay = route({
  operationId: 'pay', method: 'POST', path: '/v1/agents/{agent_id}/pay', tag: 'x', summary: 'x', who: ['agent'],
  params: Type.Object({ agent_id: Type.String({ maxLength: 64 }) }),
  body: Type.Object({ to: Type.String({ minLength: 1, maxLength: 64, format: 'single-line' }), amount: Type.Number({ format: 'inr', exclusiveMinimum: 0, maximum: 1e10 }), reference: Type.Optional(Type.String({ maxLength: 255, format: 'single-line' })), note: Type.Optional(Type.String()), idempotency_key: Type.Optional(Type.String({ maxLength: 255 })) }),
  status: 200,
  response: Type.Object({ payment_id: nul('string'), status: Type.Enum(['completed', 'pending_approval']), from_balance: Type.Number(), cost: Type.Number(), receipt_id: nul('string'), transaction_id: nul('string'), created_at: Type.String({ format: 'date-time' }) }),
  errors: [],
})
const answer = { payment_id: 'pay_01kb7q3f8meg5tz4x9wc2n6a01', status: 'completed' as const, from_balance: 12345.67, cost: 1.25, receipt_id: 'rcp_01kb7q3f8meg5tz4x9wc2n6a01', transaction_id: 'txn_01kb7q3f8meg5tz4x9wc2n6a01', created_at: '2026-11-20T10:15:30.000Z' }
const mode = process.argv[2]
if (mode === 'bare') {
  const f = fastify({ logger: false })
  if (process.argv[3] === 'helmet') await f.register((await import('@fastify/helmet')).default)
  f.post('/v1/agents/:agent_id/pay', { schema: { response: { 200: pay.response } } }, async () => answer)
  await f.listen({ port: 0 }); console.log((f.server.address() as any).port)
} else {
  const limits = mode?.includes('limits') ? { agentPerMinute: 1e9, platformPerMinute: 1e9, unauthenticatedPerMinute: 1e9 } : { agentPerMinute: 0, platformPerMinute: 0, unauthenticatedPerMinute: 0 }
  const logger = mode?.includes('log') ? createLogger('info', pino.destination({ dest: openSync('/dev/null', 'w'), sync: false, minLength: 4096 })) : createLogger('warn')
  const s = await startTestServer(({ serve }) => serve(pay, async () => answer), { rateLimits: limits, verifyResponses: false, logger })
  console.log(s.port)
}
setTimeout(() => process.exit(), 14000)
