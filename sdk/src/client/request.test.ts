import { describe, expect, test } from 'vitest'
import { prepareRequest } from './request.ts'

describe('an input is split', () => {
  test('an input is split into path and body', () => {
    const input = { agent_id: 'agt_1', to: 'translator', amount: 12.5, note: undefined }
    expect(prepareRequest('pay', input)).toEqual({
      method: 'POST',
      path: '/v1/agents/agt_1/pay',
      body: '{"to":"translator","amount":12.5}',
      isDownload: false,
    })
  })

  test('an input is split into path and query where the route has no body', () => {
    const input = { agent_id: 'agt_1', reference: 'a b&c=d', limit: 5, cursor: undefined }
    expect(prepareRequest('listPayments', input)).toEqual({
      method: 'GET',
      path: '/v1/agents/agt_1/payments?reference=a+b%26c%3Dd&limit=5',
      body: null,
      isDownload: false,
    })
    expect(
      prepareRequest('cancelOwnerPendingPolicy', { control: 'spend_limit_daily', owner_id: 'own_1' }),
    ).toEqual({
      method: 'DELETE',
      path: '/api/web/policy/pending/spend_limit_daily?owner_id=own_1',
      body: null,
      isDownload: false,
    })
  })

  test('an input is split into query and body where the route has both', () => {
    expect(prepareRequest('updateOwnerPolicy', { owner_id: 'own_1', spend_limit_daily: null })).toEqual({
      method: 'PATCH',
      path: '/api/web/policy?owner_id=own_1',
      body: '{"spend_limit_daily":null}',
      isDownload: false,
    })
  })

  test('into path and query where the response is a file', () => {
    expect(prepareRequest('getStatement', { agent_id: 'agt_1', format: 'csv' })).toEqual({
      method: 'GET',
      path: '/v1/agents/agt_1/statement?format=csv',
      body: null,
      isDownload: true,
    })
  })

  test('into any body where the route accepts any', () => {
    expect(prepareRequest('receiveGatewayWebhook', { gateway: 'sandbox', body: [1] })).toEqual({
      method: 'POST',
      path: '/v1/gateway/sandbox/webhooks',
      body: '[1]',
      isDownload: false,
    })
  })
})

describe('a path parameter', () => {
  test('cannot change the path around it', () => {
    const path = prepareRequest('getAgent', { agent_id: '../a/b?c#d%2e é' }).path
    expect(path).toBe('/v1/agents/..%2Fa%2Fb%3Fc%23d%252e%20%C3%A9')
    expect(new URL(path, 'http://batua.example').pathname).toBe(path)
  })

  test.each(['', '.', '..', undefined, null, 7, '\ud800'])('is refused before it is sent: %j', agent_id => {
    expect(() => prepareRequest('getAgent', { agent_id })).toThrow(
      expect.objectContaining({
        name: 'BatuaError',
        code: 'validation_error',
        field: 'agent_id',
        status: null,
      }),
    )
  })
})
