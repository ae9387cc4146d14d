import type { Certificate } from '@batua/contract'
import { expect } from 'vitest'
import type { Queryable } from '../../../db/database.ts'
import { checkCertificate } from '../../signing/certificates/check.ts'
import { stage, test } from './testing/identity-stage.ts'

const AT_ONCE = 20

function counted(outcomes: readonly [number, string | null][]): Record<string, number> {
  return Object.fromEntries(
    Map.groupBy(outcomes, ([status]) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  )
}

test('of 20 concurrent rotations one succeeds, and one certificate replaces the old one', async () => {
  const side = await stage.newSide()
  const [{ id } = { id: '' }] = await stage.certificates(side)
  const rotate = () => stage.outcome('POST', `/v1/certificates/${id}/rotate`, side.platform, {})
  expect(counted(await Promise.all(Array.from({ length: AT_ONCE }, rotate)))).toEqual({
    201: 1,
    409: AT_ONCE - 1,
  })
  expect((await stage.certificates(side)).map(({ status }) => status)).toEqual(['active', 'revoked'])
})

test('of concurrent rotations and revocations one succeeds', async () => {
  const side = await stage.newSide()
  const [{ id } = { id: '' }] = await stage.certificates(side)
  const acts = Array.from({ length: AT_ONCE }, (_, at) => (at % 2 === 0 ? 'rotate' : 'revoke'))
  const outcomes = await Promise.all(
    acts.map(act => stage.outcome('POST', `/v1/certificates/${id}/${act}`, side.platform, {})),
  )
  expect(outcomes.filter(([status]) => status < 300)).toHaveLength(1)
  expect(outcomes.filter(([status]) => status === 409)).toHaveLength(AT_ONCE - 1)
})

test('no certificate stays valid after its agent is deactivated, even if it is issued concurrently', async () => {
  for (let round = 0; round < 6; round++) {
    const side = await stage.newSide()
    const path = `/v1/agents/${side.agentId}/certificates`
    const [{ id } = { id: '' }] = await stage.certificates(side)
    const issues = Array.from({ length: 6 }, () => stage.outcome('POST', path, side.platform, {}))
    const rotation = stage.outcome('POST', `/v1/certificates/${id}/rotate`, side.owner, {})
    const end = stage.outcome('DELETE', `/v1/agents/${side.agentId}`, side.owner)
    const outcomes = await Promise.all([...issues, rotation])
    expect(await end).toEqual([200, null])
    const codes = outcomes.map(([status]) => status)
    expect(codes.filter(status => status !== 201 && status !== 409)).toEqual([])
    const { certificates } = await stage.get<{ certificates: Certificate[] }>(path, side.platform)
    expect(certificates).not.toEqual([])
    expect(certificates.map(({ status }) => status).filter(status => status !== 'revoked')).toEqual([])
  }
})

test('a certificate that is revoked while it is read is reported as revoked and not as altered', async () => {
  const side = await stage.newSide()
  const [{ id } = { id: '' }] = await stage.certificates(side)
  const { database } = stage.context
  let reads = 0
  const slow: Queryable = {
    async query<R extends object>(sql: string, values?: readonly unknown[]) {
      const rows = await database.query<R>(sql, values)
      if (reads++ === 0) await stage.post(`/v1/certificates/${id}/revoke`, side.platform)
      return rows
    },
  }
  const faults: unknown[] = []
  const logger = { error: (fault: unknown) => faults.push(fault) }
  const context = { ...stage.context, database: { ...database, ...slow }, logger }
  expect(await checkCertificate(context, id, stage.clock.now())).toEqual({ valid: false, reason: 'revoked' })
  expect([reads > 1, faults]).toEqual([true, []])
})
