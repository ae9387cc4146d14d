import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksIn, canRunBash, patternOf, placed, programsIn, typed } from './src/command-blocks.ts'
import type { Ended } from './src/commands.ts'
import { openPageStage, type PageStage, readPage } from './src/page-stage.ts'

const page = readPage('docs/verifying.md')

describe.skipIf(!canRunBash)('the verifying page', () => {
  let stage: PageStage

  beforeAll(async () => {
    stage = await openPageStage()
    for (const [name, text] of programsIn(page)) writeFileSync(join(stage.scratch, name), text)
  })

  afterAll(() => stage?.close())

  test('each command and each program on the page works and prints the page’s output', {
    timeout: 120_000,
  }, async () => {
    expect(programsIn(page).map(([name]) => name)).toEqual([
      'canonical.mjs',
      'check.mjs',
      'check-token.mjs',
      'check-entry.mjs',
    ])
    const blocks = blocksIn(page)
    expect(blocks.length).toBeGreaterThan(6)
    const { adapt } = placed(stage.service.address, 0)
    const printed = await typed(blocks, adapt, stage.shell)
    for (const [index, { prints }] of blocks.entries()) {
      expect.soft(printed[index]).toMatch(patternOf(prints))
    }
  })

  test('its programs report an unknown key in one line and exit with 1', async () => {
    const strangers = { 'keys.json': { keys: [] }, 'jwks.json': { keys: [] } }
    for (const [name, keys] of Object.entries(strangers))
      writeFileSync(join(stage.scratch, name), JSON.stringify(keys))
    for (const args of [['check.mjs', 'receipt.json'], ['check-token.mjs']]) {
      const run = promisify(execFile)(process.execPath, args, { cwd: stage.scratch })
      const { code, stdout, stderr } = (await run.catch((error: unknown) => error)) as Ended
      expect([args[0], code, stderr]).toEqual([args[0], 1, ''])
      expect(stdout).toMatch(/^(unknown key key_\S+: fetch keys.json again|not verified: .+)\n$/)
    }
  })
})
