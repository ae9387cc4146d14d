import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Jwks, routes, type ServiceKeys } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  acceptsToken,
  bytesOf,
  bytesOfCheckpoint,
  eachFlipped,
  eachTokenFlipped,
  isSignedBy,
  leadsToRoot,
} from './src/independent-verifier.ts'
import { runScript } from './src/scripts.ts'
import { collectSignedObjects, type SignedObjects, signedObjects } from './src/signed-objects.ts'
import { openStage, type Stage } from './src/stage.ts'

const MASTER_KEY = Buffer.alloc(32, 'e2e').toString('base64')
/** Longer than a new key is published in advance, shorter than the tolerance for clocks. */
const KEY_CHANGE_S = 60

const folder = mkdtempSync(join(tmpdir(), 'batua-verify-'))
let stage: Stage
let signed: SignedObjects
let keys: ServiceKeys
let jwks: Jwks

function save(name: string, value: unknown): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
}

async function saveKeys(name: string): Promise<void> {
  keys = await stage.api.ok(routes.getServiceKeys)
  jwks = await stage.api.ok(routes.getJwks)
  save(`${name}-keys`, keys)
  save(`${name}-jwks`, jwks)
}

const verify = (paper: string, keyFile: string, ...more: readonly string[]) =>
  runScript('verify.ts', [`${paper}.json`, '--keys', `${keyFile}.json`, ...more], { cwd: folder })

beforeAll(async () => {
  stage = await openStage()
  signed = await collectSignedObjects(stage.api, stage.network)
  for (const [name, value] of Object.entries(signed)) save(name, value)
  await saveKeys('first')
}, 60_000)
afterAll(async () => {
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

const GENUINE = [
  [
    'receipt',
    /^genuine: receipt rcp_\S+ of 100\.00 INR from bot-\S+ to bot-\S+, signed by batua with key key_/,
  ],
  ['certificate', /^genuine: certificate cert_\S+ of Research Agent /],
  ['strangersCertificate', /^genuine: certificate cert_/],
  ['identity', /^genuine: identity of bot-/],
  ['proof', /^genuine: membership proof of bot-/],
  ['paymentEntry', /^genuine: audit entry aud_\S+ \(payment\.completed of pay_/],
  ['creationEntry', /^genuine: audit entry aud_\S+ \(agent\.created of agt_/],
  ['checkpoint', /^genuine: checkpoint of the log batua\/audit with \d+ entries/],
] as const

const INCOMPLETE = [
  ['strangersReceipt', /^cannot tell: this copy leaves out what the two wrote to each other/],
  ['strangersEntry', /^cannot tell: this copy leaves out the data of the entry/],
] as const

describe('an independent verifier, jose and plain node:crypto', () => {
  test('accepts each signature, and none with a byte flipped in it or in the signed content', () => {
    for (const thing of signedObjects(signed)) {
      const { text, signature } = bytesOf(thing)
      const accepts = (bytes: { text: Buffer; signature: Buffer }) => isSignedBy(bytes, keys, thing.keyId)
      expect(accepts({ text, signature }), thing.name).toBe(true)
      for (const flipped of eachFlipped(signature)) expect(accepts({ text, signature: flipped })).toBe(false)
      for (const flipped of eachFlipped(text)) expect(accepts({ text: flipped, signature })).toBe(false)
    }
  })

  test('accepts each token, and none with a byte flipped or of another kind', async () => {
    for (const { name, token, typ } of signedObjects(signed)) {
      const accepts = (changed: string, kind = typ) => acceptsToken(changed, jwks, kind, new Date())
      expect(await accepts(token), name).toBe(true)
      expect(await accepts(token, 'other+jwt')).toBe(false)
      for (const flipped of eachTokenFlipped(token)) expect(await accepts(flipped), flipped).toBe(false)
    }
  })

  test('accepts each checkpoint, and none with a byte flipped in it or in the signed content', () => {
    const notes = [signed.checkpoint.checkpoint, signed.paymentEntry.checkpoint ?? '']
    for (const { text, signature } of notes.map(bytesOfCheckpoint)) {
      const accepts = (bytes: { text: Buffer; signature: Buffer }) => isSignedBy(bytes, keys, keys.key_id)
      expect(accepts({ text, signature })).toBe(true)
      for (const flipped of eachFlipped(signature)) expect(accepts({ text, signature: flipped })).toBe(false)
      for (const flipped of eachFlipped(text)) expect(accepts({ text: flipped, signature })).toBe(false)
    }
  })

  test('finds each audit entry in the tree of its checkpoint, and no other entry', () => {
    const { paymentEntry, creationEntry } = signed
    for (const entry of [paymentEntry, creationEntry]) expect(leadsToRoot(entry)).toBe(true)
    expect(leadsToRoot({ ...paymentEntry, entry: creationEntry.entry })).toBe(false)
    expect(leadsToRoot({ ...paymentEntry, leaf_index: (paymentEntry.leaf_index ?? 0) + 1 })).toBe(false)
  })
})

describe('npm run verify', () => {
  test('verifies signed documents without the service, and reports what cannot be verified', {
    timeout: 60_000,
  }, async () => {
    expect(await stage.service.stop()).toBe(0)
    const expectResult = async ([paper, words]: readonly [string, RegExp], code: number) => {
      const ended = await verify(paper, paper === 'certificate' ? 'first-jwks' : 'first-keys')
      expect.soft(ended, paper).toEqual({ code, stdout: expect.stringMatching(words), stderr: '' })
    }
    await Promise.all([
      ...GENUINE.map(each => expectResult(each, 0)),
      ...INCOMPLETE.map(each => expectResult(each, 1)),
    ])
  })

  test('reports a document that was changed', async () => {
    save('changed', { ...signed.receipt, amount: 1_000 })
    const { code, stdout } = await verify('changed', 'first-keys')
    expect([code, stdout]).toEqual([1, 'not genuine: the signature does not fit what it says\n'])
  })

  test('verifies old documents with the new key file after a key rotation', {
    timeout: 60_000,
  }, async () => {
    const env = { DATABASE_URL: stage.database.url, DATA_DIR: folder, MASTER_KEY }
    const rotated = await runScript('rotate-signing-key.ts', [], { cwd: folder, env })
    expect([rotated.code, rotated.stderr]).toEqual([0, ''])
    await stage.service.start()
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: KEY_CHANGE_S } })
    const earlier = keys.key_id
    await saveKeys('second')
    expect(keys.key_id).not.toBe(earlier)
    for (const paper of ['receipt', 'certificate', 'paymentEntry']) {
      const { code, stdout } = await verify(paper, 'second-keys')
      expect.soft([code, stdout.split(':')[0]], paper).toEqual([0, 'genuine'])
      expect.soft(stdout).toContain(`the key ${earlier} is retired`)
    }
  })

  test('verifies new documents only with the new key file, and that the log only grew', {
    timeout: 60_000,
  }, async () => {
    const before = signed
    signed = await collectSignedObjects(stage.api, stage.network)
    for (const [name, value] of Object.entries(signed)) save(`new-${name}`, value)
    const [from, to] = [before.checkpoint, signed.checkpoint].map(
      ({ checkpoint }) => checkpoint.split('\n')[1] ?? '',
    )
    const query = { from: Number(from), to: Number(to) }
    const headers = await stage.network.admin()
    save('consistency', await stage.api.ok(routes.getConsistency, { headers, query }))
    expect(await stage.service.stop()).toBe(0)
    for (const paper of ['new-proof', 'new-paymentEntry']) {
      expect.soft(await verify(paper, 'second-keys'), paper).toMatchObject({ code: 0 })
      expect.soft(await verify(paper, 'first-keys'), paper).toMatchObject({ code: 1 })
    }
    const checkpoints = ['--from', 'checkpoint.json', '--to', 'new-checkpoint.json']
    expect(await verify('consistency', 'second-keys', ...checkpoints)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`only grew from ${from} to ${to} entries`),
    })
  })
})
