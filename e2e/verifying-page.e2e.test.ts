import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksIn, canType, patternOf, placed, programsIn, typed } from './src/command-blocks.ts'
import { openPageStage, type PageStage, readPage } from './src/page-stage.ts'

const page = readPage('docs/verifying.md')

describe.skipIf(!canType)('the page about verifying', () => {
  let stage: PageStage

  beforeAll(async () => {
    stage = await openPageStage()
    for (const [name, text] of programsIn(page)) writeFileSync(join(stage.folder, name), text)
  })

  afterAll(() => stage?.close())

  test('each command and each program on it works and prints what it says', { timeout: 60_000 }, async () => {
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
})
