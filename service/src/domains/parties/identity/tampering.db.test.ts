import type { Certificate } from '@batua/contract'
import { beforeEach, describe, expect } from 'vitest'
import { parseId } from '../../../kernel/ids.ts'
import { newKeyPair } from '../../../kernel/signing.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { certificateMac } from '../../signing/certificates/certificate.ts'
import { selectCertificate } from '../../signing/certificates/store.ts'
import { type Side, stage, test } from './testing/identity-stage.ts'

let side: Side
let certificate: Certificate
let revoked: Certificate

beforeEach(async () => {
  side = await stage.newSide()
  const [first] = await stage.certificates(side)
  if (first === undefined) throw new Error('every agent has a certificate')
  certificate = first
  const another = await stage.post<Certificate>(`/v1/agents/${side.agentId}/certificates`, side.platform, {})
  revoked = await stage.post<Certificate>(`/v1/certificates/${another.id}/revoke`, side.platform, {
    reason: 'Lost',
  })
})

async function alter(id: string, change: string): Promise<void> {
  const rows = await stage.db.database.query(`update certificates set ${change} where id = $1 returning id`, [
    parseId('cert', id),
  ])
  expect(rows).toHaveLength(1)
}

/** Returns a function that restores every column of the row as it is now. */
async function rememberRow(id: string): Promise<() => Promise<unknown>> {
  const uuid = parseId('cert', id)
  const { database } = stage.db
  await database.query(`create table if not exists remembered (like certificates)`)
  await database.query(`insert into remembered select * from certificates where id = $1`, [uuid])
  return async () => {
    await database.query(`delete from certificates where id = $1`, [uuid])
    return database.query(`insert into certificates select * from remembered where id = $1`, [uuid])
  }
}

/** Changes of the row of a valid certificate. */
const CHANGES = [
  'agent_id = id',
  `subject = subject || ' '`,
  `public_key = '${newKeyPair().publicKey}'`,
  `capabilities = '{pay}'`,
  `capabilities = '{}'`,
  `capabilities = '{pay,receive,escrow,verify,verify}'`,
  `capabilities = '{pay,receive,escrow,null}'`,
  `tier = 'tier3'`,
  `issuer = 'attacker'`,
  `issued_at = issued_at - interval '1 millisecond'`,
  `expires_at = expires_at + interval '1 day'`,
  `expires_at = 'infinity'`,
  `expires_at = '200000-01-01'`,
  `key_id = 'key_2020-01_00000000'`,
  'signature = set_byte(signature, 63, get_byte(signature, 63) # 1)',
  `signature = ''`,
  'revoked_at = issued_at',
  `revocation_reason = 'Invented'`,
  'is_default = not is_default',
  'is_default = null',
  'seal = set_byte(seal, 15, get_byte(seal, 15) # 1)',
  'seal = substr(seal, 1, 15)',
  `seal = ''`,
]

/** Changes of the row of a revoked certificate. */
const REVIVALS = [
  'revoked_at = null',
  'revoked_at = null, revocation_reason = null',
  `revoked_at = revoked_at + interval '1 day'`,
  `revocation_reason = 'Replaced'`,
  'revocation_reason = null',
]

test('this test changes every column of a certificate', async () => {
  const columns = await stage.db.database.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'certificates'::regclass and attnum > 0`,
  )
  const changed = new Set(CHANGES.map(change => change.split(' = ')[0]))
  expect(columns.map(({ name }) => name).filter(name => !changed.has(name))).toEqual(['id'])
})

describe('a certificate that was changed in the database', () => {
  test.each([...CHANGES, ...REVIVALS])(
    'a certificate that was changed in the database is never shown as valid: %s',
    async change => {
      const { id } = REVIVALS.includes(change) ? revoked : certificate
      await alter(id, change)
      expect(await stage.validity(id)).toBe('bad_signature')
      const fault = [500, 'internal_error']
      expect(await stage.outcome('GET', `/v1/certificates/${id}`, side.platform)).toEqual(fault)
      for (const act of ['revoke', 'rotate']) {
        expect(await stage.outcome('POST', `/v1/certificates/${id}/${act}`, side.platform, {})).toEqual(fault)
      }
      expect((await stage.certificates(side)).map(listed => listed.id)).not.toContain(id)
      const identity = await stage.get<{ certificate_id: string | null }>(
        `/v1/identity/${side.agentId}/verify`,
        side.agent,
      )
      expect(identity.certificate_id).not.toBe(id)
    },
  )

  test('a certificate cannot be moved or copied to another id in the database', async () => {
    const id = parseId('cert', certificate.id) ?? ''
    const other = `${id.slice(0, -1)}${id.endsWith('0') ? '2' : '0'}`
    await stage.db.database.query(`update certificates set id = $2 where id = $1`, [id, other])
    const [moved] = await stage.db.database.query<{ id: string }>(
      `select id from certificates where id = $1`,
      [other],
    )
    expect(moved).toBeDefined()
    expect(await stage.validity(certificate.id)).toBe('not_found')
    expect(await stage.certificates(side, '?status=active')).toEqual([])
  })

  test.each([`subject = 'Another owner'`, `expires_at = 'infinity'`])(
    'ends with its agent all the same, so that nobody can put it right again: %s',
    async change => {
      const restore = await rememberRow(certificate.id)
      await alter(certificate.id, change)
      const ended = await stage.outcome('DELETE', `/v1/agents/${side.agentId}`, side.platform)
      expect(ended).toEqual([200, null])
      await restore()
      expect(await stage.validity(certificate.id)).toBe('bad_signature')
    },
  )

  test('a certificate restored to its state before its revocation contradicts the audit log', async () => {
    const restore = await rememberRow(certificate.id)
    await stage.post(`/v1/certificates/${certificate.id}/revoke`, side.platform)
    await restore()
    expect(await stage.validity(certificate.id)).toBe('bad_signature')
    expect(await stage.certificates(side, '?status=active')).toEqual([])
  })

  test('a certificate is valid only if both its signature and its MAC verify', async () => {
    const stored = await selectCertificate(stage.db.database, parseId('cert', certificate.id) ?? '')
    if (stored === null) throw new Error('the certificate is there')
    const forged = { ...stored, subject: 'Another owner' }
    const mac = certificateMac(TEST_VAULT, forged).toString('hex')
    await alter(certificate.id, `subject = 'Another owner', seal = decode('${mac}', 'hex')`)
    expect(await stage.validity(certificate.id)).toBe('bad_signature')
  })
})

describe('an agent that was changed in the database', () => {
  test.each([
    `handle = 'another-agent'`,
    `public_key = '${newKeyPair().publicKey}'`,
    'platform_id = id',
    `created_at = created_at - interval '1 year'`,
    `created_at = '-infinity'`,
    'seal = set_byte(seal, 0, get_byte(seal, 0) # 1)',
    'seal = null',
  ])('nothing is signed for an agent that was changed in the database: %s', async change => {
    const requests = [
      ['GET', `/v1/identity/${side.agentId}/verify`, side.agent],
      ['GET', `/v1/identity/${side.agentId}/public-key`, side.agent],
      ['GET', '/v1/agents/me/proof', side.agent],
      ['POST', `/v1/agents/${side.agentId}/certificates`, side.owner],
      ['POST', `/v1/certificates/${certificate.id}/rotate`, side.owner],
    ] as const
    await stage.db.database.query(`update agents set ${change} where id = $1`, [parseId('agt', side.agentId)])
    for (const [method, path, headers] of requests) {
      const body = method === 'POST' ? {} : undefined
      // Handle and platform decide about money too, so the agent's key is refused.
      const isKeyGood = headers !== side.agent || !/^(?:handle|platform_id)/.test(change)
      const refused = isKeyGood ? [500, 'internal_error'] : [401, 'authentication_error']
      expect([path, ...(await stage.outcome(method, path, headers, body))]).toEqual([path, ...refused])
    }
    expect(await stage.validity(certificate.id)).toBe('ok')
  })
})
