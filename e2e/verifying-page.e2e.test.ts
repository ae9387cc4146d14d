import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksIn, canType, patternOf, sectionOf, typed } from './src/command-blocks.ts'
import { createDatabase, type ServiceDatabase } from './src/database.ts'
import { type Service, startService } from './src/service.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README_ADDRESS = 'http://127.0.0.1:8080'
const page = readFileSync(join(ROOT, 'docs', 'verifying.md'), 'utf8')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The programs of the page, by the names that it gives them. */
function programs(): [name: string, text: string][] {
  const found = page.matchAll(/`([\w-]+\.mjs)`:\n\n```js\n(.*?)```/gs)
  return [...found].map(([, name = '', text = '']) => [name, text])
}

/** The tour of the README up to where it has a payment. */
function tourToPayment() {
  const blocks = blocksIn(sectionOf(readme, 'A five-minute tour'))
  return blocks.slice(0, blocks.findIndex(({ commands }) => commands.includes('PAYMENT=')) + 1)
}

describe.skipIf(!canType)('the page about verifying', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batua-verifying-'))
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`, NO_COLOR: '1' }
  let database: ServiceDatabase
  let service: Service

  beforeAll(async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    for (const [name, text] of programs()) writeFileSync(join(folder, name), text)
    database = await createDatabase()
    service = await startService({ DATABASE_URL: database.url, DATA_DIR: folder })
  })

  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('each command and each program on it works and prints what it says', { timeout: 60_000 }, async () => {
    expect(programs().map(([name]) => name)).toEqual([
      'canonical.mjs',
      'check.mjs',
      'check-token.mjs',
      'check-entry.mjs',
    ])
    const tour = tourToPayment()
    const blocks = blocksIn(page)
    expect(blocks.length).toBeGreaterThan(6)
    const adapt = (text: string) => text.replaceAll(README_ADDRESS, service.address)
    const printed = await typed([...tour, ...blocks], adapt, { cwd: folder, env })
    for (const [index, { prints }] of blocks.entries()) {
      expect.soft(printed[tour.length + index]).toMatch(patternOf(prints))
    }
  })
})
