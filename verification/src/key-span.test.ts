import { describe, expect, test } from 'vitest'
import { checker } from './testing/checks.ts'
import { newLog } from './testing/log-samples.ts'
import { IN_TIME, ISSUED, receiptSample, samplesOf } from './testing/signed-samples.ts'
import { canonical, keyDocument, keySet, newSigner, type Signer } from './testing/signer.ts'

const json = JSON.stringify
const issued = Date.parse(ISSUED)
const minutes = (count: number) => new Date(issued + count * 60_000).toISOString()

interface Span {
  readonly active_from?: string
  readonly retired_at?: string | null
  readonly revoked_at?: string | null
}

/** Both key documents of keys with these spans, the first of them in use. */
function documentsOf(keys: readonly (readonly [Signer, Span])[]): object[] {
  const signers = keys.map(([signer]) => signer)
  const [inUse] = signers
  if (inUse === undefined) throw new Error('a document has a key')
  const documents = [keyDocument(inUse, ...signers.slice(1)), keySet(...signers)]
  return documents.map(document => {
    const entries = (document as { keys: object[] }).keys
    const withSpans = entries.map((entry, index) => ({
      ...entry,
      active_from: '2026-01-01T00:00:00.000Z',
      retired_at: null,
      revoked_at: null,
      ...keys[index]?.[1],
      ...('status' in entry && keys[index]?.[1].revoked_at ? { status: 'revoked' } : {}),
    }))
    return { ...document, keys: withSpans }
  })
}

const signer = newSigner()
const next = newSigner('batua', 'key_2026-12_00000001')

describe.each(samplesOf(signer))('a $name', ({ response }) => {
  const files = [json(response), response.token]
  const verdictsUnder = (span: Span, proof: string | null = null) =>
    documentsOf([
      [next, {}],
      [signer, span],
    ]).flatMap(keys => files.map(file => checker(keys)(file, IN_TIME, null, proof)))

  test('is genuine when its key was in use at its date, give or take five minutes', () => {
    const spans: Span[] = [
      { active_from: minutes(0), retired_at: minutes(1) },
      { active_from: minutes(4.9), retired_at: minutes(60) },
      { active_from: minutes(-60), retired_at: minutes(-4.9) },
      { active_from: minutes(-60), retired_at: null },
    ]
    for (const span of spans)
      for (const verdict of verdictsUnder(span))
        expect(verdict, json(span)).toMatchObject({ kind: 'genuine' })
  })

  test('is not genuine when it is dated after its key retired', () => {
    for (const verdict of verdictsUnder({ retired_at: minutes(-6) })) {
      expect(verdict).toMatchObject({
        verdict: 'not genuine',
        because: expect.stringContaining('signs nothing that is dated after'),
      })
    }
  })

  test('is not genuine when it is dated before its key was in use', () => {
    for (const verdict of verdictsUnder({ active_from: minutes(6) })) {
      expect(verdict).toMatchObject({
        verdict: 'not genuine',
        because: expect.stringContaining('signs what is dated from'),
      })
    }
  })

  test('is not genuine when it is dated at or after the moment at which its key was revoked', () => {
    for (const revoked_at of [minutes(0), minutes(-60)]) {
      for (const verdict of verdictsUnder({ revoked_at })) {
        expect(verdict).toMatchObject({
          verdict: 'not genuine',
          because: expect.stringContaining('is revoked since'),
        })
      }
    }
  })

  test('cannot be decided when a key signed it that was revoked later, since a thief can backdate', () => {
    for (const verdict of verdictsUnder({ revoked_at: minutes(60) })) {
      expect(verdict).toMatchObject({ verdict: 'cannot tell', because: expect.stringContaining('--proof') })
    }
  })
})

test('what the next key signed in place of a revoked one is genuine', () => {
  const { response } = receiptSample(next)
  const revoked: Span = { retired_at: minutes(10), revoked_at: minutes(5) }
  for (const keys of documentsOf([
    [next, { active_from: minutes(10) }],
    [signer, revoked],
  ])) {
    expect(checker(keys)(json(response))).toMatchObject({ kind: 'genuine' })
  }
  for (const keys of documentsOf([
    [next, { active_from: minutes(10) }],
    [signer, { retired_at: minutes(10) }],
  ])) {
    expect(checker(keys)(json(response))).toMatchObject({ verdict: 'not genuine' })
  }
})

describe('what a revoked key signed before its revocation', () => {
  const receipt = receiptSample(signer)
  const log = newLog(next, 3)
  const keys = documentsOf([
    [next, { active_from: minutes(10) }],
    [signer, { retired_at: minutes(10), revoked_at: minutes(5) }],
  ])

  /** A log of one entry: the payment of the receipt, unless something in it is changed. */
  function proofBy(logKey: Signer, change: object = {}): string {
    const content = receipt.content as Record<string, unknown>
    const { payment_id, from, to, amount, fee, reference, note, created_at } = content
    const entry = {
      audit_id: 'aud_01kb7q3f8meg5tz4x9wc2n6a01',
      agent_id: from,
      actor: { type: 'agent', id: from },
      action: 'payment.completed',
      target: payment_id,
      data: { to, amount, fee, reference, note, ...change },
      created_at,
    }
    return json(newLog(logKey, 1, [entry]).verification(0))
  }

  test('counts with a proof that the log has it under a checkpoint of another key', () => {
    for (const document of keys) {
      const check = checker(document)
      for (const file of [json(receipt.response), receipt.response.token]) {
        expect(check(file, IN_TIME, null, proofBy(next))).toMatchObject({
          kind: 'genuine',
          checked: expect.arrayContaining([expect.stringContaining('the audit log has it')]),
        })
      }
    }
  })

  test('does not count with the entry of another payment', () => {
    for (const change of [{ amount: 1 }, { note: null }, { fee: 0 }]) {
      const verdict = checker(keys[0] ?? {})(json(receipt.response), IN_TIME, null, proofBy(next, change))
      expect(verdict).toMatchObject({ because: expect.stringContaining('is not that of this receipt') })
    }
    const other = checker(keys[0] ?? {})(json(receipt.response), IN_TIME, null, json(log.verification(0)))
    expect(other).toMatchObject({ because: expect.stringContaining('is not that of this receipt') })
  })

  test('does not count with a checkpoint of a revoked key', () => {
    const verdict = checker(keys[0] ?? {})(json(receipt.response), IN_TIME, null, proofBy(signer))
    expect(verdict).toMatchObject({
      because: expect.stringContaining('--proof: its checkpoint is signed with'),
    })
  })

  test('needs the proof in the log’s own terms: a damaged one is refused', () => {
    const broken = proofBy(next).replace('"leaf_index":0', '"leaf_index":1')
    const verdict = checker(keys[0] ?? {})(json(receipt.response), IN_TIME, null, broken)
    expect(verdict).toMatchObject({ because: expect.stringContaining('--proof: ') })
  })

  test('cannot be proven when the log has no entry for it, as of a membership proof', () => {
    const [, , identity, membership] = samplesOf(signer)
    for (const sample of [identity, membership]) {
      const verdict = checker(keys[0] ?? {})(json(sample?.response), IN_TIME, null, proofBy(next))
      expect(verdict).toMatchObject({ because: expect.stringContaining('no entry') })
    }
  })
})

describe('a checkpoint by a revoked key', () => {
  const stolen = newLog(signer, 3)
  const good = newLog(next, 5)
  const check = checker(
    documentsOf([
      [next, {}],
      [signer, { revoked_at: minutes(0) }],
    ])[0] ?? {},
  )

  test('counts for nothing alone, and proves no entry', () => {
    for (const file of [stolen.checkpoint(), json(stolen.verification(1))]) {
      expect(check(file)).toMatchObject({
        verdict: 'cannot tell',
        because: expect.stringContaining('revoked'),
      })
    }
  })

  test('counts as the beginning of the log that another key has signed, and not as its end', () => {
    const notes = { from: stolen.checkpoint(), to: good.checkpoint() }
    expect(check(json(good.consistency(3, 5)), IN_TIME, notes)).toMatchObject({ kind: 'genuine' })
    const backwards = { from: good.checkpoint(2), to: stolen.checkpoint() }
    expect(check(json(good.consistency(2, 3)), IN_TIME, backwards)).toMatchObject({ verdict: 'cannot tell' })
  })
})

test('a key document with a date that is none, or a revoked key without one, is not used', () => {
  const documentWith = (change: object) => {
    const document = keyDocument(signer) as { keys: object[] }
    return { ...document, keys: document.keys.map(key => ({ ...key, ...change })) }
  }
  for (const change of [
    { active_from: 'yesterday' },
    { retired_at: 5 },
    { status: 'revoked' },
    { revoked_at: ISSUED },
  ])
    expect(() => checker(documentWith(change)), canonical(change)).toThrow('the key document cannot be used')
})

test('a proof beside what proves itself is refused', () => {
  const log = newLog(signer, 2)
  const proof = json(log.verification(0))
  for (const file of [log.checkpoint(), json(log.verification(1)), json({ checkpoint: log.checkpoint() })]) {
    expect(checker(keyDocument(signer))(file, IN_TIME, null, proof)).toMatchObject({
      because: expect.stringContaining('--proof belongs to'),
    })
  }
})
