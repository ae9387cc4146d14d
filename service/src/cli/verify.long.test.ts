import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newLog } from '../../../verification/src/testing/log-samples.ts'
import { certificateSample, receiptSample } from '../../../verification/src/testing/signed-samples.ts'
import { keyDocument, keySet, newSigner } from '../../../verification/src/testing/signer.ts'
import { readOptions } from './verify-options.ts'

const COMMAND = fileURLToPath(new URL('verify.ts', import.meta.url))
const signer = newSigner()
const receipt = receiptSample(signer).response
const certificate = certificateSample(signer).response
const log = newLog(signer, 5)
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'batua-verify-'))
  const files = {
    'keys.json': keyDocument(signer),
    'jwks.json': keySet(signer),
    'receipt.json': receipt,
    'forged.json': { ...receipt, amount: 4000 },
    'certificate.json': certificate,
    'consistency.json': log.consistency(2, 5),
    'earlier.json': { checkpoint: log.checkpoint(2) },
    'odd.json': Buffer.of(0xff, 0xfe),
  }
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(folder, name), Buffer.isBuffer(value) ? value : JSON.stringify(value))
  }
  writeFileSync(join(folder, 'later.txt'), log.checkpoint())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The command to its end, in the folder of the files, with nothing of the tests' own environment. */
function verify(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    env: {},
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('a genuine receipt exits with 0, and the first line names its parties and its key', () => {
  const { status, stdout, stderr } = verify(['receipt.json', '--keys', 'keys.json'])
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')[0]).toBe(
    `genuine: receipt ${String(receipt['receipt_id'])} of 400.50 INR from researcher to translator, signed by batua with key ${signer.keyId}`,
  )
  expect(stdout).toContain('cannot be verified offline: whether some of the money was refunded later')
})

test('a forged receipt exits with 1, and the first line says so', () => {
  const { status, stdout, stderr } = verify(['forged.json', '--keys', 'keys.json'])
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: 'not genuine: the signature does not fit what it says\n',
    stderr: '',
  })
})

test('- reads standard input, a key set is accepted, and --at sets the time', () => {
  const at = (time: string) => verify(['-', '--keys', 'jwks.json', '--at', time], `${certificate.token}\n`)
  expect(at('2026-11-20T16:00:00+05:30')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^genuine: certificate /),
  })
  expect(at('2026-11-21T00:00:00Z')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^not valid: .* expired /),
  })
})

test('a certificate that has expired by this machine’s clock exits with 1', () => {
  // The samples' hour is in 2026; whenever this runs, it is another.
  expect(verify(['certificate.json', '--keys', 'keys.json'])).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^not valid: /),
  })
})

test('consistency is checked between a saved response and a saved note', () => {
  const files = ['--keys', 'keys.json', '--from', 'earlier.json', '--to', 'later.txt']
  expect(verify(['consistency.json', ...files])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('only grew from 2 to 5 entries'),
  })
})

test('--help explains how to use it', () => {
  expect(verify(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('npm run verify') })
})

test.each([
  [['receipt.json', '--keys', 'nowhere.json'], 'cannot read nowhere.json: there is no such file'],
  [['odd.json', '--keys', 'keys.json'], 'not text in UTF-8'],
  [['receipt.json', '--key', 'keys.json'], "Unknown option '--key'"],
])('%j ends with 1 and one clear sentence', (args, sentence) => {
  const { status, stdout, stderr } = verify(args)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
  expect(stderr).toMatch(/^cannot tell: .*\n--help explains the use\.\n$/)
})

test.each([
  [[], 'name one file'],
  [['a', 'b', '--keys', 'k'], 'name one file'],
  [['a'], 'name the key document with --keys'],
  [['a', '--keys', 'k', '--at', 'noon'], '--at must be a time'],
  [['a', '--keys', 'k', '--at', '2026-11-20'], '--at must be a time'],
  [['a', '--keys', 'k', '--from', 'c'], '--from and --to belong together'],
  [['-', '--keys', '-'], 'only one file can come from standard input'],
])('options %j are refused with the reason', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence)
})
