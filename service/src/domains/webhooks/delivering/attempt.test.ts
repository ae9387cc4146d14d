import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signedHeaders } from './attempt.ts'

const ID = 'evt_01h455vb4pex5vsknk084sn02q'
const BODY = '{"id":"evt_01h455vb4pex5vsknk084sn02q","event":"agent.funded","data":{"name":"आपा"}}'

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

test('while two secrets are in force, a receiver can verify with either of them and with no other', () => {
  const secrets = [newSecret(), newSecret()]
  const headers = signedHeaders(secrets, ID, BODY, new Date())
  for (const secret of secrets) {
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow('No matching signature')
  }
  expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow('No matching signature')
})

test('a signature is the HMAC-SHA256 of id, Unix seconds and body under the decoded secret', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const hmac = createHmac('sha256', Buffer.alloc(32, 7))
  hmac.update(`${ID}.1795168800.${BODY}`)
  expect(signedHeaders([secret], ID, BODY, new Date('2026-11-20T10:00:00.999Z'))).toEqual({
    'content-type': 'application/json',
    'user-agent': 'Batua-Webhooks/1.0',
    'webhook-id': ID,
    'webhook-timestamp': '1795168800',
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  })
})

test('the signature of the newest secret comes first', () => {
  const [newest, before] = [newSecret(), newSecret()]
  const now = new Date()
  const signatures = signedHeaders([newest, before], ID, BODY, now)['webhook-signature']?.split(' ')
  expect(signatures).toEqual([newest, before].map(secret => new Webhook(secret).sign(ID, now, BODY)))
})
